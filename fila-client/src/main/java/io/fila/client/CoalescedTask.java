package io.fila.client;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a task on an executor, never twice at once, and once more if it was asked for during a run. */
final class CoalescedTask {

    private final Executor executor;
    private final Runnable task;
    /** How often it was asked for since the last run began; whoever raises it from zero starts the runs. */
    private final AtomicInteger asked = new AtomicInteger();

    CoalescedTask(Executor executor, Runnable task) {
        this.executor = executor;
        this.task = task;
    }

    void ask() {
        if (asked.getAndIncrement() == 0) {
            executor.execute(this::run);
        }
    }

    private void run() {
        int seen = asked.get();
        while (seen != 0) {
            task.run();
            seen = asked.addAndGet(-seen);
        }
    }
}
