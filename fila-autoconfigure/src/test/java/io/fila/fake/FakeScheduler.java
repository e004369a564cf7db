package io.fila.fake;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Remembers what is scheduled and runs it when the test says so. */
public final class FakeScheduler extends ScheduledThreadPoolExecutor {

    public final List<Task> tasks = new CopyOnWriteArrayList<>();

    public FakeScheduler() {
        super(0);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return add(command, unit.toMillis(delay));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return add(command, unit.toMillis(period));
    }

    private Task add(Runnable command, long millis) {
        Task task = new Task(command, Duration.ofMillis(millis));
        tasks.add(task);
        return task;
    }

    /** The task scheduled last. */
    public Task last() {
        return tasks.get(tasks.size() - 1);
    }

    /** What is scheduled, with its delay or period. */
    public static final class Task extends CompletableFuture<Object> implements ScheduledFuture<Object> {

        private final Runnable command;
        public final Duration delay;

        private Task(Runnable command, Duration delay) {
            this.command = command;
            this.delay = delay;
        }

        public void run() {
            if (!isCancelled()) {
                command.run();
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(delay);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
