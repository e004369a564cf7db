package io.fila.broker.stats;

import java.time.Instant;
import java.util.List;

import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;
import org.jspecify.annotations.Nullable;

/**
 * Counts of a queue's messages by state.
 *
 * @param throttled waiting messages of which a bucket has no room; they are not in {@code ready}
 */
public record QueueStats(
        long ready,
        long delayed,
        long throttled,
        long leased,
        long unclassified,
        long deadLettered,
        @Nullable Instant oldestReadyAt,
        @Nullable Instant oldestUnclassifiedAt,
        int subscribers,
        List<DeclaredThrottle> throttles) {

    /** A throttle in force on the queue. */
    public record DeclaredThrottle(
            String name, List<Limit> limits, List<KeyComponent> key, MissingKey whenKeyMissing, int subscribers) {}
}
