package io.fila.broker.pacing;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs again whenever it is woken: by one thread at a time, never for nothing, and never missing a wake-up that came
 * while it ran. Between runs it is woken by a timer at the moment the work named. Safe for use by several threads.
 */
final class Wakeable {

    /** Makes wakeables that share threads. */
    record Factory(Executor executor, ScheduledExecutorService timer) {

        Wakeable create(LongSupplier work) {
            return new Wakeable(work, executor, timer);
        }
    }

    private final LongSupplier work;
    private final Executor executor;
    private final ScheduledExecutorService timer;

    /** Wake-ups not seen yet. Above zero: a run is queued or under way. */
    private final AtomicInteger wakes = new AtomicInteger();

    /** The alarm that was set last. Only touched by the run under way. */
    private @Nullable Future<?> alarm;

    private volatile boolean closed;

    private Wakeable(LongSupplier work, Executor executor, ScheduledExecutorService timer) {
        this.work = work;
        this.executor = executor;
        this.timer = timer;
    }

    void wake() {
        if (wakes.getAndIncrement() == 0) {
            execute();
        }
    }

    /** No run begins after this. */
    void close() {
        closed = true;
    }

    private void execute() {
        try {
            executor.execute(this::run);
        } catch (RejectedExecutionException e) {
            closed = true;
        }
    }

    private void run() {
        if (closed) {
            return;
        }
        if (alarm != null) {
            alarm.cancel(false);
        }
        int seen = wakes.get();
        long pause = work.getAsLong();
        if (pause > 0 && pause != Long.MAX_VALUE) {
            setAlarm(pause);
        }
        boolean nothingNew = pause > 0 && wakes.compareAndSet(seen, 0);
        if (!nothingNew) {
            // to the back of the line: other queues want their turn
            wakes.set(1);
            execute();
        }
    }

    private void setAlarm(long pause) {
        try {
            alarm = timer.schedule(this::wake, pause, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            closed = true;
        }
    }
}
