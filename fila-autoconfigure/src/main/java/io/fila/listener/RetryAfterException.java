package io.fila.listener;

import java.time.Duration;

import io.fila.client.Nack;
import org.jspecify.annotations.Nullable;

/** Thrown by a handler: the attempt failed and is to be repeated after a given delay, at most 365 days; it counts as an attempt. */
public class RetryAfterException extends RuntimeException {

    private final Duration delay;

    public RetryAfterException(Duration delay, String message) {
        this(delay, message, null);
    }

    public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
        super(message, cause);
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay is " + delay + "; use zero or more");
        }
        if (delay.compareTo(Nack.MAX_RETRY_AFTER) > 0) {
            throw new IllegalArgumentException("delay is " + delay + "; use at most 365 days");
        }
        this.delay = delay;
    }

    public Duration delay() {
        return delay;
    }
}
