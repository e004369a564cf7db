package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * A leased message. Exactly one of {@link #ack}, {@link #nack} and {@link #release} settles it. Their futures complete with true
 * once the broker has made them durable, with false if the lease had been lost (expired or settled before), and with
 * {@link FilaException} if the answer did not arrive. They may be called on any thread, also after a reconnect.
 */
public interface Delivery {

    FilaMessage message();

    /** When the lease expires unless it is extended, by this machine's clock. */
    Instant leaseExpiresAt();

    /** The message is done and leaves the queue. */
    CompletableFuture<Boolean> ack();

    /** The attempt failed. */
    CompletableFuture<Boolean> nack(Nack nack);

    /** Keeps the lease for {@code by} from now. */
    CompletableFuture<Boolean> extend(Duration by);

    /** Gives the message back without counting an attempt. */
    CompletableFuture<Boolean> release();
}
