package io.fila.listener;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.fila.client.FilaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A container's state and its lock. Everything is decided under the lock, and nothing outside is called with it held. */
final class Lifecycle {

    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

    private final String listener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final OrderedCalls calls = new OrderedCalls();

    // guarded by lock
    private ListenerState state = ListenerState.STOPPED;
    private @Nullable FilaException lastError;

    Lifecycle(String listener) {
        this.listener = listener;
    }

    ListenerState state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    @Nullable FilaException lastError() {
        lock.lock();
        try {
            return lastError;
        } finally {
            lock.unlock();
        }
    }

    /** Decides under the lock, then makes the calls that were decided on. */
    boolean decide(BooleanSupplier decision) {
        boolean decided;
        lock.lock();
        try {
            decided = decision.getAsBoolean();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        calls.flush();
        return decided;
    }

    /** Like {@link #decide}, without a result. */
    void run(Runnable decision) {
        decide(() -> {
            decision.run();
            return true;
        });
    }

    /** To be made, in order, once the lock is free. */
    void afterwards(Runnable call) {
        requireLock();
        calls.add(call);
    }

    void error(@Nullable FilaException error) {
        requireLock();
        lastError = error;
    }

    /** The only place where the state changes. Returns whether it did. */
    boolean transition(ListenerState target) {
        requireLock();
        boolean allowed = switch (state) {
            case STOPPED -> target == ListenerState.RUNNING;
            case RUNNING -> target == ListenerState.PAUSED || target == ListenerState.DRAINING;
            case PAUSED -> target == ListenerState.RUNNING || target == ListenerState.DRAINING;
            case DRAINING -> target == ListenerState.STOPPED;
        };
        if (allowed) {
            log.debug("listener '{}': {} -> {}", listener, state, target);
            state = target;
        }
        return allowed;
    }

    /** Waits until the condition, which is asked under the lock, holds; false if the deadline or an interrupt came first. */
    boolean await(BooleanSupplier condition, long deadlineNanos) {
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void requireLock() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("decided without the lock");
        }
    }
}
