package io.fila.broker.message;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** What a consumer says of a lease. */
public sealed interface Settlement {

    Lease lease();

    /** The message is done. */
    record Ack(Lease lease) implements Settlement {}

    /**
     * The attempt failed.
     *
     * @param retryAfter null: the queue's retry policy decides
     * @param deadLetter skip the remaining attempts
     */
    record Nack(Lease lease, String error, @Nullable Duration retryAfter, boolean deadLetter) implements Settlement {}

    /** The lease is to last this long from now; null: the queue's visibility timeout. */
    record Extend(Lease lease, @Nullable Duration by) implements Settlement {}

    /** Back to its place at once, no attempt counted. */
    record Release(Lease lease) implements Settlement {}
}
