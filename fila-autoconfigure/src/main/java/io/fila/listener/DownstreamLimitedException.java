package io.fila.listener;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler: whatever it called refused it for a while, by a limit of its own. The buckets that the message draws from
 * close for so long, on every node and for every queue, and the message goes back without losing an attempt: one that is refused
 * for ever is never a dead letter. Buckets that are closed for longer stay so; a message that draws from no bucket is tried again
 * after that time, and its attempt counts.
 *
 * <p>If the broker cannot close the buckets (longer than its {@code fila.broker.max-bucket-close}, 1 h; a throttle that does not
 * apply to the message), the failure counts as an attempt, to be repeated after that time, and the log says why.
 */
public class DownstreamLimitedException extends RuntimeException {

    private final Duration retryAfter;
    private final List<String> throttles;

    /** Closes the buckets of all throttles that apply to the message. */
    public DownstreamLimitedException(Duration retryAfter) {
        this(retryAfter, List.of());
    }

    /** Closes the buckets of these throttles; if there are none, of all that apply to the message. */
    public DownstreamLimitedException(Duration retryAfter, Collection<String> throttles) {
        this(retryAfter, throttles, "refused downstream for " + retryAfter, null);
    }

    public DownstreamLimitedException(
            Duration retryAfter, Collection<String> throttles, String message, @Nullable Throwable cause) {
        super(message, cause);
        if (retryAfter.toMillis() <= 0) {
            throw new IllegalArgumentException("retryAfter is " + retryAfter + "; use 1 ms or more");
        }
        this.retryAfter = retryAfter;
        this.throttles = List.copyOf(throttles);
    }

    public Duration retryAfter() {
        return retryAfter;
    }

    /** Empty: all that apply to the message. */
    public List<String> throttles() {
        return throttles;
    }
}
