package io.fila.broker.message;

import java.time.Duration;

import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work whenever something is due, without polling: after each run it sleeps until the moment the work named, until
 * {@link #recheck}, or until the sweep that makes up for lost signals. One daemon thread.
 */
final class DueLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DueLoop.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final Duration SHORTEST = Duration.ofMillis(1);

    /** Does what is due, and says in how long something is due again. */
    @FunctionalInterface
    interface Work {
        Duration untilNext();
    }

    private final String activity;
    private final Duration sweep;
    private final Work work;
    private final Thread thread;

    /** Guards what follows; the thread waits on it. */
    private final Object lock = new Object();

    private boolean rechecking;
    private boolean closed;

    /** @param activity completes the sentence "could not …" */
    DueLoop(String activity, String threadName, Duration sweep, Work work) {
        this.activity = activity;
        this.sweep = sweep;
        this.work = work;
        thread = new Thread(this::loop, threadName);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Runs the work soon: something may be due earlier than it was told. */
    void recheck() {
        synchronized (lock) {
            rechecking = true;
            lock.notifyAll();
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void loop() {
        boolean failing = false;
        while (true) {
            Duration pause;
            try {
                pause = work.untilNext();
                failing = false;
            } catch (RuntimeException e) {
                // the database being away is said elsewhere, and a lasting fault once
                if (!failing && !(e instanceof ProblemException)) {
                    log.error("could not {}; trying again every {} s", activity, AFTER_FAILURE.toSeconds(), e);
                }
                failing = true;
                pause = AFTER_FAILURE;
            }
            if (isClosedAfter(pause.compareTo(sweep) > 0 ? sweep : pause)) {
                return;
            }
        }
    }

    private boolean isClosedAfter(Duration pause) {
        long end = System.nanoTime() + (pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause).toNanos();
        synchronized (lock) {
            while (!closed && !rechecking) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                try {
                    lock.wait(left / 1_000_000, (int) (left % 1_000_000));
                } catch (InterruptedException e) {
                    return true;
                }
            }
            rechecking = false;
            return closed;
        }
    }
}
