package io.fila.client;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the application's listener and survives what it throws. Must not be called under a lock. */
final class ListenerCalls {

    private static final Logger log = LoggerFactory.getLogger(ListenerCalls.class);

    private final String queue;
    private final SubscriptionListener listener;
    /** Written by the thread that calls the listener, read by any. */
    private volatile @Nullable Thread caller;

    ListenerCalls(String queue, SubscriptionListener listener) {
        this.queue = queue;
        this.listener = listener;
    }

    /** Whether the current thread is inside the listener, where waiting for the broker would wait for itself. */
    boolean isCaller() {
        return Thread.currentThread() == caller;
    }

    /** Marks the current thread as the one that handles events until {@code task} returns. */
    void asCaller(Runnable task) {
        caller = Thread.currentThread();
        try {
            task.run();
        } finally {
            caller = null;
        }
    }

    void deliver(Delivery delivery) {
        if (!survives("delivery of message " + delivery.message().id(), () -> listener.onDelivery(delivery))) {
            var unused = delivery.release();
        }
    }

    void accepted() {
        survives("acceptance", listener::onAccepted);
    }

    void interrupted(FilaException cause) {
        survives("interruption", () -> listener.onInterrupted(cause));
    }

    void refused(FilaException cause) {
        survives("refusal", () -> listener.onRefused(cause));
    }

    private boolean survives(String event, Runnable call) {
        try {
            call.run();
            return true;
        } catch (RuntimeException | Error e) {
            log.warn("The listener of queue '{}' threw at the {}; the subscription goes on", queue, event, e);
            return false;
        }
    }
}
