package io.fila.broker.script;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * Runs what queues have to run on a few threads: of one queue one thing after the other, in the order it came, while queues take turns. A
 * script that is slow makes its own queue's callers wait; another queue waits for a turn at most, or for as many as there are slow
 * queues to a thread. What waits is bounded in size, for each queue and for all, and in time. Safe for use by several threads.
 */
final class ScriptLines implements AutoCloseable {

    /** After so long it is the next queue's turn; a step is not interrupted. */
    private static final long TURN = Duration.ofMillis(1).toNanos();

    private static final long PATIENCE = Duration.ofSeconds(5).toNanos();

    /** In bytes. Enough for as many calls of Lua functions within each other as are allowed. */
    private static final long STACK = 256 << 10;

    private static final long MOST_OF_A_QUEUE = 16L << 20;
    private static final long MOST_OF_ALL = 64L << 20;

    /** Something to run, in steps that are short each. */
    interface Work {

        /** In bytes, about. */
        long weight();

        /** Takes the next step; false if it was the last. */
        boolean step();

        /** It will not be run, or not to its end. */
        void fail(RuntimeException problem);
    }

    private record Waiting(Work work, long since) {}

    private static final class Line {
        final long queueId;
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        long weight;

        Line(long queueId) {
            this.queueId = queueId;
        }
    }

    private final List<Thread> threads = new ArrayList<>();

    /** Guards what follows; threads wait on it. */
    private final Object lock = new Object();

    private final Map<Long, Line> lines = new HashMap<>();

    /** Lines that wait for a thread, each once; a line that has one is not among them. */
    private final ArrayDeque<Line> turns = new ArrayDeque<>();

    private long weight;
    private boolean closed;

    ScriptLines(int count) {
        for (int i = 1; i <= count; i++) {
            Thread thread = threadOf(this::run, "fila-script-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    /**
     * A thread that scripts may run on. Its stack is small: calls that go round in metatables are no calls of Lua's, and end only when it
     * overflows, which takes the longer the larger it is.
     */
    static Thread threadOf(Runnable work, String name) {
        Thread thread = new Thread(null, work, name, STACK);
        thread.setDaemon(true);
        return thread;
    }

    /** Adds work of a queue, or throws {@code rate-limited} if too much waits already. */
    void submit(QueueScript script, Work work) {
        synchronized (lock) {
            if (closed) {
                throw shuttingDown();
            }
            Line line = lines.get(script.queueId());
            requireRoom(script, line, work.weight());
            if (line == null) {
                line = new Line(script.queueId());
                lines.put(script.queueId(), line);
                turns.add(line);
                lock.notify();
            }
            line.waiting.add(new Waiting(work, System.nanoTime()));
            line.weight += work.weight();
            weight += work.weight();
        }
    }

    private void requireRoom(QueueScript script, @Nullable Line line, long more) {
        boolean isFull = line != null && line.weight > 0 && line.weight + more > MOST_OF_A_QUEUE;
        if (isFull || weight > 0 && weight + more > MOST_OF_ALL) {
            throw tooSlow(script.hook().functionName() + " of queue '" + script.queue() + "'");
        }
    }

    /** Fails what waits and lets what is under way take its step. */
    @Override
    public void close() {
        List<Waiting> left = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        for (Thread thread : threads) {
            try {
                thread.join(5_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        synchronized (lock) {
            lines.values().forEach(line -> left.addAll(line.waiting));
            lines.clear();
        }
        left.forEach(waiting -> waiting.work().fail(shuttingDown()));
    }

    private void run() {
        while (true) {
            Line line = nextLine();
            if (line == null) {
                return;
            }
            long end = System.nanoTime() + TURN;
            Waiting head = head(line);
            while (head != null) {
                if (!step(head)) {
                    head = remove(line);
                }
                if (System.nanoTime() - end >= 0) {
                    break;
                }
            }
            comeAgain(line);
        }
    }

    /** False if that was the last of it. */
    private static boolean step(Waiting head) {
        try {
            if (System.nanoTime() - head.since() >= PATIENCE) {
                head.work().fail(tooSlow("a script"));
                return false;
            }
            return head.work().step();
        } catch (RuntimeException | Error e) {
            // whatever it is: without its threads no queue's script would run
            head.work()
                    .fail(
                            e instanceof RuntimeException problem
                                    ? problem
                                    : new IllegalStateException("could not run a script", e));
            return false;
        }
    }

    /** Waits for a line that has something to run; null when closed. */
    private @Nullable Line nextLine() {
        synchronized (lock) {
            while (!closed && turns.isEmpty()) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return null;
                }
            }
            return closed ? null : turns.remove();
        }
    }

    private @Nullable Waiting head(Line line) {
        synchronized (lock) {
            return line.waiting.peek();
        }
    }

    /** Takes the head away; returns the next. */
    private @Nullable Waiting remove(Line line) {
        synchronized (lock) {
            Waiting done = line.waiting.remove();
            line.weight -= done.work().weight();
            weight -= done.work().weight();
            return line.waiting.peek();
        }
    }

    private void comeAgain(Line line) {
        synchronized (lock) {
            if (line.waiting.isEmpty()) {
                lines.remove(line.queueId);
            } else {
                turns.add(line);
                lock.notify();
            }
        }
    }

    private static ProblemException tooSlow(String what) {
        return new ProblemException(
                ProblemCode.RATE_LIMITED,
                "%s is slower than messages arrive, so nothing was done; send more slowly, or make it faster"
                        .formatted(what),
                Duration.ofSeconds(1),
                null);
    }

    private static ProblemException shuttingDown() {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "the broker is shutting down; send to another node or try again",
                Duration.ofSeconds(1),
                null);
    }
}
