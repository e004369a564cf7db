package io.fila.client;

import io.fila.protocol.v1.Bucket;

/** Throttles and their buckets as public types. */
final class ThrottlesFromProtocol {

    private ThrottlesFromProtocol() {}

    static ThrottleStats stats(io.fila.protocol.v1.ThrottleStats stats) {
        return new ThrottleStats(
                QueuesFromProtocol.throttle(stats.getThrottle()),
                stats.getDeclaredList().stream()
                        .map(one -> new ThrottleStats.Declared(one.getLimitsList(), one.getSubscribers()))
                        .toList(),
                stats.getQueuesList(),
                stats.getSubscribers(),
                stats.getActiveBuckets(),
                stats.getBucketsAtLimit(),
                stats.getWaiting(),
                stats.getTopBucketsList().stream()
                        .map(ThrottlesFromProtocol::bucket)
                        .toList());
    }

    static BucketStats bucket(Bucket bucket) {
        return new BucketStats(
                bucket.getLacksKey() ? null : bucket.getKeyList(),
                bucket.getWaiting(),
                bucket.getUsedList().stream()
                        .map(used -> new BucketStats.Used(used.getLimit(), used.getCount()))
                        .toList(),
                bucket.hasRoomAt() ? FromProtocol.instant(bucket.getRoomAt()) : null,
                bucket.hasClosedUntil() ? FromProtocol.instant(bucket.getClosedUntil()) : null);
    }
}
