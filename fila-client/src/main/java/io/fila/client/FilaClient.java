package io.fila.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a Fila broker: sends messages, declares queues, subscribes. One client serves a whole application; it is
 * safe for use by several threads and connects lazily, so a broker that is away when it is built is no error.
 *
 * <p>Blocking calls throw {@link FilaException}; asynchronous ones complete with it. A send that fails with
 * {@link FilaException#isRetryable()} may have been stored: give the message an {@link OutgoingMessage#id()} to make sending it
 * again safe.
 */
public interface FilaClient extends AutoCloseable {

    /** Starts building a client; see {@link FilaClientBuilder} for the defaults. */
    static FilaClientBuilder builder() {
        return new FilaClientBuilder();
    }

    /** Sends one message and returns once it is stored durably. */
    SendResult send(String queue, OutgoingMessage message);

    /** Sends messages to one queue, all or none; one result each, in order. */
    List<SendResult> sendAll(String queue, List<OutgoingMessage> messages);

    /** Like {@link #send}, without waiting. */
    CompletableFuture<SendResult> sendAsync(String queue, OutgoingMessage message);

    /** Like {@link #sendAll}, without waiting. */
    CompletableFuture<List<SendResult>> sendAllAsync(String queue, List<OutgoingMessage> messages);

    /** Creates the queue or brings its settings to the given ones; true if it was created. */
    boolean declareQueue(QueueSpec queue);

    /**
     * Subscribes and keeps the subscription alive across lost connections until it is closed. Returns at once; nothing arrives
     * before {@link FilaSubscription#request}.
     */
    FilaSubscription subscribe(SubscriptionSpec spec, SubscriptionListener listener);

    /** Closes every subscription and the connection; waits a few seconds at most. */
    @Override
    void close();
}
