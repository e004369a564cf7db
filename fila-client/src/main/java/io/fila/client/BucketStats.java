package io.fila.client;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One bucket of a throttle.
 *
 * @param key empty for the one bucket of a throttle without a key, null for that of messages lacking the key
 * @param waiting messages that it holds
 * @param roomAt when there is room again, by the clock of the broker's database; null while there is
 * @param closedUntil null unless a consumer closed it
 */
public record BucketStats(
        @Nullable List<String> key,
        long waiting,
        List<Used> used,
        @Nullable Instant roomAt,
        @Nullable Instant closedUntil) {

    public BucketStats {
        key = key == null ? null : List.copyOf(key);
        used = List.copyOf(used);
    }

    /** Deliveries and permits counted against a limit. */
    public record Used(String limit, long count) {}
}
