package io.fila.client;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next try: anything from zero to a bound that doubles with every try ("full jitter", so that the
 * clients of a restarted broker do not return in step). Not thread-safe.
 */
class Backoff {

    private final Duration first;
    private final Duration longest;
    private final DoubleSupplier random;
    private Duration bound;

    /** {@code random} draws from 0 (inclusive) to 1 (exclusive). */
    Backoff(Duration first, Duration longest, DoubleSupplier random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.bound = first;
    }

    Duration next() {
        Duration delay = Duration.ofNanos((long) (bound.toNanos() * random.getAsDouble()));
        Duration doubled = bound.multipliedBy(2);
        bound = doubled.compareTo(longest) < 0 ? doubled : longest;
        return delay;
    }

    void reset() {
        bound = first;
    }
}
