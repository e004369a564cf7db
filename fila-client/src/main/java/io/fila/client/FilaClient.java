package io.fila.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to a Fila broker: sends messages, declares queues, subscribes, acquires permits. One client serves a whole
 * application; it is safe for use by several threads and connects lazily, so a broker that is away when it is built is no
 * error.
 *
 * <p>Blocking calls throw {@link FilaException}; asynchronous ones complete with it. A send that fails with
 * {@link FilaException#isRetryable()} may have been stored: give the message an {@link OutgoingMessage#id()} to make sending it
 * again safe.
 *
 * <p>Single sends to one queue that are made while a request to it is under way share the next request; each still succeeds
 * or fails by itself, and those of one thread are stored in their order. A {@code sendAll} is a request of its own and may
 * overtake them. What waits for its request is bounded (10,000 messages, 64 MiB): beyond that a blocking send waits for its
 * turn until the request timeout, and an asynchronous one fails at once with {@code client-overloaded}. Arguments that
 * cannot be right are an {@link IllegalArgumentException} before anything is sent.
 */
public interface FilaClient extends AutoCloseable {

    /** Starts building a client; see {@link FilaClientBuilder} for the defaults. */
    static FilaClientBuilder builder() {
        return new FilaClientBuilder();
    }

    /** Sends one message and returns once it is stored durably. */
    SendResult send(String queue, OutgoingMessage message);

    /** Sends messages to one queue, all or none; one result each, in order. At least one message. */
    List<SendResult> sendAll(String queue, List<OutgoingMessage> messages);

    /**
     * Like {@link #send}, without waiting. Cancelling the future keeps a message back that is not under way yet. Dependent
     * actions run on the client's threads.
     */
    CompletableFuture<SendResult> sendAsync(String queue, OutgoingMessage message);

    /** Like {@link #sendAll}, without waiting. */
    CompletableFuture<List<SendResult>> sendAllAsync(String queue, List<OutgoingMessage> messages);

    /** Creates the queue or brings its settings to the given ones; true if it was created. */
    boolean declareQueue(QueueSpec queue);

    /**
     * Subscribes and keeps the subscription alive across lost connections until it is closed. Returns at once; nothing arrives
     * before {@link FilaSubscription#request}. The listener may be called before this method returns.
     */
    FilaSubscription subscribe(SubscriptionSpec spec, SubscriptionListener listener);

    /**
     * Acquires permits for calls to the API behind a throttle that do not come from a queue: all of them or none. They are
     * counted in the same bucket as deliveries, from the moment at which the broker answers, and are not given back; of a call
     * that fails with {@link FilaException#isRetryable()} they may have been counted. Does not wait for room.
     *
     * @param throttle a throttle that a subscriber declares, or whose deliveries are remembered; else {@code
     *     throttle-not-found}
     * @param key the value of each component of its key, in order; empty: the one bucket of a throttle without a key, or that
     *     of messages lacking the key
     * @param permits at least 1, and no more than any limit of the throttle allows at once
     */
    PermitResult tryAcquire(String throttle, List<String> key, int permits);

    /** Like {@link #tryAcquire}, without waiting for the answer. */
    CompletableFuture<PermitResult> tryAcquireAsync(String throttle, List<String> key, int permits);

    /** Administers queues, messages and throttles, on the same connection. */
    FilaAdmin admin();

    /**
     * Closes every subscription and the connection. Sends and settlements under way may finish, for five seconds at most;
     * what is left, and every later call, fails with {@code client-closed}.
     */
    @Override
    void close();
}
