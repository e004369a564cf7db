package io.fila.broker.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Natural batching: calls that arrive while a batch is being worked on make up the next one, so that they share statements and
 * commits without anybody waiting for company. A few daemon threads work on batches side by side.
 *
 * <p>What waits is bounded: beyond the bound {@link #submit} refuses. If the database is away, all that waits is failed with the
 * batch that noticed: nobody waits for several connection timeouts. Safe for use by several threads.
 *
 * @param <C> a call; it is answered by the work, or by {@link Call#fail}
 */
public final class Batcher<C extends Batcher.Call> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Batcher.class);

    /** One caller's part of a batch. */
    public interface Call {

        /** What it adds to a batch, and to what waits. */
        long weight();

        void fail(RuntimeException problem);
    }

    /** Answers each call of a batch, or throws: then every call of it is failed. */
    @FunctionalInterface
    public interface Work<C> {
        void on(List<C> batch);
    }

    /** How much goes together, and how much may wait. */
    public record Bounds(int workers, long batchWeight, long waitingWeight) {}

    private final Work<C> work;
    private final Bounds bounds;
    private final String name;
    private final List<Thread> threads = new ArrayList<>();

    /** Guards what follows; workers wait on it. */
    private final Object lock = new Object();

    private final ArrayDeque<C> waiting = new ArrayDeque<>();
    private long waitingWeight;
    private boolean closed;

    public Batcher(String name, Bounds bounds, Work<C> work) {
        this.name = name;
        this.bounds = bounds;
        this.work = work;
        for (int i = 1; i <= bounds.workers(); i++) {
            Thread thread = new Thread(this::workOff, "fila-" + name + "-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Adds a call, or throws {@code rate-limited} if too much waits already. */
    public void submit(C call) {
        synchronized (lock) {
            if (closed) {
                throw unavailable("the broker is shutting down; send to another node or try again");
            }
            if (waitingWeight > 0 && waitingWeight + call.weight() > bounds.waitingWeight()) {
                throw new ProblemException(
                        ProblemCode.RATE_LIMITED,
                        "too much is waiting to be stored; send more slowly or with fewer calls at a time",
                        Duration.ofSeconds(1),
                        null);
            }
            waiting.add(call);
            waitingWeight += call.weight();
            lock.notify();
        }
    }

    /** Fails what waits and lets batches under way finish. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        failWaiting(unavailable("the broker is shutting down; send to another node or try again"));
        for (Thread thread : threads) {
            try {
                thread.join(5_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void workOff() {
        while (true) {
            List<C> batch = nextBatch();
            if (batch.isEmpty()) {
                return;
            }
            try {
                work.on(batch);
            } catch (RuntimeException e) {
                batch.forEach(call -> call.fail(e));
                if (e instanceof ProblemException problem && problem.code() == ProblemCode.STORAGE_UNAVAILABLE) {
                    failWaiting(problem);
                } else if (!(e instanceof ProblemException)) {
                    log.error("could not work on a batch of {} {} calls", batch.size(), name, e);
                }
            }
        }
    }

    /** Waits for calls; empty when closed. */
    private List<C> nextBatch() {
        synchronized (lock) {
            while (waiting.isEmpty()) {
                if (closed) {
                    return List.of();
                }
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return List.of();
                }
            }
            List<C> batch = new ArrayList<>();
            long weight = 0;
            while (!waiting.isEmpty()
                    && (batch.isEmpty() || weight + waiting.element().weight() <= bounds.batchWeight())) {
                C call = waiting.remove();
                weight += call.weight();
                batch.add(call);
            }
            waitingWeight -= weight;
            return batch;
        }
    }

    private void failWaiting(ProblemException problem) {
        List<C> failed;
        synchronized (lock) {
            failed = new ArrayList<>(waiting);
            waiting.clear();
            waitingWeight = 0;
        }
        failed.forEach(call -> call.fail(problem));
    }

    private static ProblemException unavailable(String detail) {
        return new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, detail, Duration.ofSeconds(1), null);
    }
}
