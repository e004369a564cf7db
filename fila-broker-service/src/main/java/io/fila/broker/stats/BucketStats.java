package io.fila.broker.stats;

import java.time.Instant;
import java.util.List;

import io.fila.broker.throttle.Limit;
import org.jspecify.annotations.Nullable;

/**
 * One bucket.
 *
 * @param key empty for the one bucket of an unkeyed throttle, null for that of messages lacking the key
 * @param roomAt when there is room again; null while there is
 * @param closedUntil null unless a consumer closed it
 */
public record BucketStats(
        @Nullable List<String> key,
        long waiting,
        List<Used> used,
        @Nullable Instant roomAt,
        @Nullable Instant closedUntil) {

    /** Deliveries counted against a limit. */
    public record Used(Limit limit, long count) {}

    BucketStats withWaiting(long count) {
        return new BucketStats(key, count, used, roomAt, closedUntil);
    }
}
