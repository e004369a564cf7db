package io.fila.broker.subscription;

import java.util.List;
import java.util.function.Consumer;

import io.fila.broker.message.Delivery;

/**
 * One waiting {@code receive}. The caller gives it where to write the answer, and cancels it when the client is gone.
 */
public interface PendingReceive {

    /**
     * Calls {@code writer} once, when the answer is to be written: with the deliveries, or with none when the wait is over. The
     * call is the delivery: messages count as delivered when {@code writer} is called, so it must begin to write at once. May be
     * called on any thread, also before this method returns.
     */
    void onAnswer(Consumer<List<Delivery>> writer);

    /** Calls {@code failure} instead of the writer if the wait ends in a problem, such as the queue having been deleted. */
    void onFailure(Consumer<Throwable> failure);

    /** The client is gone: what has not been handed to the writer goes to somebody else. */
    void cancel();
}
