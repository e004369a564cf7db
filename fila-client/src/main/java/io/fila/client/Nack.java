package io.fila.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed and what follows.
 *
 * @param error shown in the failure history; cut at 2,000 characters, and what cannot be stored (NUL, halves of surrogate pairs) is
 *     replaced
 * @param retryAfter when to try again, at most {@link #MAX_RETRY_AFTER}; null: the queue's retry policy decides
 * @param deadLetter skip the remaining attempts
 * @param closeBucketsFor the buckets that the message draws from close for so long, and the message goes back without losing an
 *     attempt; null: they stay as they are
 * @param closeBucketsOf only the buckets of these throttles; empty: of all that apply to the message
 */
public record Nack(
        String error,
        @Nullable Duration retryAfter,
        boolean deadLetter,
        @Nullable Duration closeBucketsFor,
        List<String> closeBucketsOf) {

    /** The longest delay that the broker takes: 365 days. */
    public static final Duration MAX_RETRY_AFTER = Duration.ofDays(365);

    private static final Duration SHORTEST_CLOSING = Duration.ofMillis(1);

    public Nack {
        Objects.requireNonNull(error, "error must not be null");
        closeBucketsOf = List.copyOf(closeBucketsOf);
        if (retryAfter != null && retryAfter.isNegative()) {
            throw new IllegalArgumentException("retryAfter must not be negative, but was " + retryAfter);
        }
        if (retryAfter != null && retryAfter.compareTo(MAX_RETRY_AFTER) > 0) {
            throw new IllegalArgumentException("retryAfter must be at most 365 days, but was " + retryAfter);
        }
        if (retryAfter != null && deadLetter) {
            throw new IllegalArgumentException("a dead letter is not tried again, so it has no retryAfter");
        }
        if (closeBucketsFor == null && !closeBucketsOf.isEmpty()) {
            throw new IllegalArgumentException("closeBucketsOf needs closeBucketsFor, which says for how long");
        }
        if (closeBucketsFor != null && closeBucketsFor.compareTo(SHORTEST_CLOSING) < 0) {
            throw new IllegalArgumentException("closeBucketsFor must be 1 ms or longer, but was " + closeBucketsFor);
        }
        if (closeBucketsFor != null && deadLetter) {
            throw new IllegalArgumentException("a message whose buckets are closed goes back, and is no dead letter");
        }
    }

    /** A failure that the queue's retry policy deals with. */
    public static Nack failed(String error) {
        return new Nack(error, null, false, null, List.of());
    }

    /** A failure to be tried again after {@code delay}. */
    public static Nack retryAfter(String error, Duration delay) {
        return new Nack(error, delay, false, null, List.of());
    }

    /** A failure that trying again cannot mend. */
    public static Nack deadLetter(String error) {
        return new Nack(error, null, true, null, List.of());
    }

    /** See {@link #closeBuckets(String, Duration, Collection)}: the buckets of all throttles that apply to the message. */
    public static Nack closeBuckets(String error, Duration closedFor) {
        return closeBuckets(error, closedFor, List.of());
    }

    /**
     * Whatever the consumer called refused it for so long. Until then nothing is delivered, on any node, that draws from the same
     * buckets of these throttles; the message goes back without losing an attempt, and {@code error} is shown nowhere unless it
     * draws from no bucket: then it is a failure to be tried again after {@code closedFor}. Buckets that are closed for longer stay
     * so.
     *
     * <p>The broker refuses more than its {@code fila.broker.max-bucket-close} (1 h) and a throttle that does not apply to the
     * message; then {@link Delivery#nack} fails with {@code invalid-request}, and may be called again.
     */
    public static Nack closeBuckets(String error, Duration closedFor, Collection<String> throttles) {
        return new Nack(error, null, false, closedFor, List.copyOf(throttles));
    }
}
