package io.fila.listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Settles one message; exactly one call may be made, on any thread, and a second one throws {@link IllegalStateException}. The
 * futures complete with true once the broker has made it durable, with false if the lease had been lost (the message is or will be
 * handled again), and with {@link io.fila.client.FilaException} if no answer arrived.
 *
 * <p>A listener with {@link AckMode#AUTO} may use it too; what it settles is not settled again when it returns.
 */
public interface Acknowledgement {

    /** The message is done and leaves the queue. */
    CompletableFuture<Boolean> ack();

    /** The attempt failed; the queue's retry policy decides what follows. */
    CompletableFuture<Boolean> nack(String error);

    /** The attempt failed and is to be repeated after {@code delay}. */
    CompletableFuture<Boolean> nack(String error, Duration delay);

    /** The attempt failed and trying again cannot help. */
    CompletableFuture<Boolean> deadLetter(String error);

    /**
     * Whatever the handler called refused it for so long: see {@link DownstreamLimitedException}.
     *
     * @param throttles whose buckets close; none: all that apply to the message
     */
    CompletableFuture<Boolean> closeBuckets(String error, Duration closedFor, String... throttles);

    /** Gives the message back without counting an attempt. */
    CompletableFuture<Boolean> release();

    /** Whether one of the calls above has been made. */
    boolean isSettled();
}
