package io.fila.client;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed and what follows.
 *
 * @param error shown in the failure history; cut at 2,000 characters
 * @param retryAfter when to try again; null: the queue's retry policy decides
 * @param deadLetter skip the remaining attempts
 */
public record Nack(String error, @Nullable Duration retryAfter, boolean deadLetter) {

    public Nack {
        Objects.requireNonNull(error, "error must not be null");
        if (retryAfter != null && retryAfter.isNegative()) {
            throw new IllegalArgumentException("retryAfter must not be negative, but was " + retryAfter);
        }
    }

    /** A failure that the queue's retry policy deals with. */
    public static Nack failed(String error) {
        return new Nack(error, null, false);
    }

    /** A failure to be tried again after {@code delay}. */
    public static Nack retryAfter(String error, Duration delay) {
        return new Nack(error, delay, false);
    }

    /** A failure that trying again cannot mend. */
    public static Nack deadLetter(String error) {
        return new Nack(error, null, true);
    }
}
