package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * A leased message. Exactly one of {@link #ack}, {@link #nack} and {@link #release} settles it.
 *
 * <p>Their futures, and those of {@link #extend}, complete with true once the broker has made them durable, with false if
 * the lease had been lost (expired, or settled before), and with {@link FilaException} if no answer arrived within the
 * request timeout; then they may be tried again. They may be called on any thread, also while the connection is lost: what
 * was not answered is sent again after the reconnect. If only the answer had been lost, the repeated settlement finds the
 * lease settled, so after a reconnect false means "lost, or settled already".
 *
 * <p>Dependent actions of the futures run on the client's threads and must not block.
 */
public interface Delivery {

    FilaMessage message();

    /**
     * When the lease expires unless it is extended, by the database's clock. This machine's may show something else: go by
     * {@link #visibilityTimeout} instead. An extension does not change it.
     */
    Instant leaseExpiresAt();

    /**
     * How long the lease lasts from shortly before the delivery was received, unless it is extended; at least a second. To be
     * measured with {@link System#nanoTime}.
     */
    Duration visibilityTimeout();

    /** The message is done and leaves the queue. */
    CompletableFuture<Boolean> ack();

    /** The attempt failed. */
    CompletableFuture<Boolean> nack(Nack nack);

    /** Keeps the lease for {@code by}, which must be 1 second to 12 hours, from now. */
    CompletableFuture<Boolean> extend(Duration by);

    /** Gives the message back without counting an attempt. */
    CompletableFuture<Boolean> release();
}
