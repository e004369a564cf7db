package io.fila.broker.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Natural batching: calls that arrive while a batch is being worked on make up the next one, so that they share statements and
 * commits without anybody waiting for company. A few daemon threads work on batches side by side.
 *
 * <p>What waits is bounded: beyond the bound {@link #submit} refuses. If the database is away, all that waits is failed with the
 * batch that noticed: nobody waits for several connection timeouts. And if the database takes a batch and does not answer, callers
 * are told so when their patience is over: what still waits is taken back, and of what is under way nobody knows. Its work goes
 * on, and follows up on what was done if it was; until then it keeps its thread, so that nothing piles up behind it but what is
 * bounded. Safe for use by several threads.
 *
 * @param <C> a call; it is answered by the work, or by {@link Call#fail}
 */
public final class Batcher<C extends Batcher.Call> implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Batcher.class);

    /** One caller's part of a batch. */
    public interface Call {

        /** What it adds to a batch, and to what waits. */
        long weight();

        /** Does nothing if the call has been answered. */
        void fail(RuntimeException problem);

        /** What its caller is told when nobody knows whether it was done. */
        String inDoubt();
    }

    /** Answers each call of a batch, or throws: then every call of it is failed. */
    @FunctionalInterface
    public interface Work<C> {
        void on(List<C> batch);
    }

    /** How much goes together, how much may wait, and for how long. */
    public record Bounds(int workers, long batchWeight, long waitingWeight, Duration patience) {}

    /** A call and when it came. */
    private record Pending<C>(C call, long since) {}

    private final Work<C> work;
    private final Bounds bounds;
    private final String name;
    private final List<Thread> threads = new ArrayList<>();

    /** Looks for calls whose time is over; asleep when there are none. */
    private final ScheduledExecutorService timer;

    /** Guards what follows; workers wait on it. */
    private final Object lock = new Object();

    /** In the order they came. */
    private final ArrayDeque<Pending<C>> waiting = new ArrayDeque<>();

    /** What each worker works on, as far as its callers have not been told that they wait in vain. */
    private final Map<Thread, List<Pending<C>>> underWay = new HashMap<>();

    private long waitingWeight;
    private boolean watching;
    private boolean closed;

    public Batcher(String name, Bounds bounds, Work<C> work) {
        this.name = name;
        this.bounds = bounds;
        this.work = work;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fila-" + name + "-timer");
            thread.setDaemon(true);
            return thread;
        });
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
            waiting.add(new Pending<>(call, System.nanoTime()));
            waitingWeight += call.weight();
            if (!watching) {
                watching = true;
                timer.schedule(this::watch, bounds.patience().toNanos(), TimeUnit.NANOSECONDS);
            }
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
        timer.shutdownNow();
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
            } catch (Throwable e) {
                // an Error too, of memory or of the stack: without its workers a batcher takes calls and answers none
                fail(batch, e);
            } finally {
                synchronized (lock) {
                    underWay.remove(Thread.currentThread());
                }
            }
        }
    }

    private void fail(List<C> batch, Throwable e) {
        RuntimeException problem = e instanceof RuntimeException exception
                ? exception
                : new IllegalStateException(
                        "could not work on a batch of %d %s calls".formatted(batch.size(), name), e);
        batch.forEach(call -> call.fail(problem));
        if (e instanceof ProblemException known && known.code() == ProblemCode.STORAGE_UNAVAILABLE) {
            // unlike the batch, which may have been done
            failWaiting(unavailable("the database cannot be reached, so nothing was done; try again"));
        } else if (!(e instanceof ProblemException)) {
            log.error("could not work on a batch of {} {} calls", batch.size(), name, e);
        }
    }

    /** Fails calls whose time is over, and comes again when that may be so of the next. */
    private void watch() {
        List<C> begun = new ArrayList<>();
        List<C> notBegun = new ArrayList<>();
        synchronized (lock) {
            long now = System.nanoTime();
            long oldest = now;
            while (!waiting.isEmpty() && isOver(waiting.element(), now)) {
                C call = waiting.remove().call();
                waitingWeight -= call.weight();
                notBegun.add(call);
            }
            if (!waiting.isEmpty()) {
                oldest = waiting.element().since();
            }
            for (List<Pending<C>> batch : underWay.values()) {
                while (!batch.isEmpty() && isOver(batch.get(batch.size() - 1), now)) {
                    begun.add(batch.remove(batch.size() - 1).call());
                }
                if (!batch.isEmpty()) {
                    oldest = Math.min(oldest - now, batch.get(batch.size() - 1).since() - now) + now;
                }
            }
            watching =
                    !closed && !(waiting.isEmpty() && underWay.values().stream().allMatch(List::isEmpty));
            if (watching) {
                timer.schedule(this::watch, bounds.patience().toNanos() - (now - oldest), TimeUnit.NANOSECONDS);
            }
        }
        begun.forEach(call -> call.fail(unavailable(call.inDoubt())));
        notBegun.forEach(
                call -> call.fail(unavailable("the database does not answer, so nothing was done; try again")));
    }

    private boolean isOver(Pending<C> pending, long now) {
        return now - pending.since() >= bounds.patience().toNanos();
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
            List<Pending<C>> begun = new ArrayList<>();
            long weight = 0;
            while (!waiting.isEmpty()
                    && (batch.isEmpty() || weight + waiting.element().call().weight() <= bounds.batchWeight())) {
                Pending<C> pending = waiting.remove();
                weight += pending.call().weight();
                begun.add(pending);
                batch.add(pending.call());
            }
            waitingWeight -= weight;
            // the oldest last, where it is taken away
            Collections.reverse(begun);
            underWay.put(Thread.currentThread(), begun);
            return batch;
        }
    }

    private void failWaiting(ProblemException problem) {
        List<C> failed;
        synchronized (lock) {
            failed = waiting.stream().map(Pending::call).toList();
            waiting.clear();
            waitingWeight = 0;
        }
        failed.forEach(call -> call.fail(problem));
    }

    private static ProblemException unavailable(String detail) {
        return new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, detail, Duration.ofSeconds(1), null);
    }
}
