package io.fila.broker.admin;

import java.time.Instant;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.fila.broker.stats.BucketStats;
import org.jspecify.annotations.Nullable;

/** One bucket as it is shown among others. */
record BucketAnswer(
        @Nullable List<String> key,
        long waiting,
        List<Used> used,
        @Nullable Instant roomAt) {

    record Used(String limit, long count) {}

    /** One bucket as it is shown alone. */
    record Alone(
            @JsonUnwrapped BucketAnswer bucket, @Nullable Instant closedUntil) implements Answer {}

    static BucketAnswer of(BucketStats bucket) {
        return new BucketAnswer(
                bucket.key(),
                bucket.waiting(),
                bucket.used().stream()
                        .map(used -> new Used(used.limit().toString(), used.count()))
                        .toList(),
                bucket.roomAt());
    }

    static Alone alone(BucketStats bucket) {
        return new Alone(of(bucket), bucket.closedUntil());
    }
}
