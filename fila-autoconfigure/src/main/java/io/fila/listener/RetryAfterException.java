package io.fila.listener;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler: the attempt failed and is to be repeated after a given delay; it counts as an attempt. */
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
        this.delay = delay;
    }

    public Duration delay() {
        return delay;
    }
}
