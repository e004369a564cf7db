package io.fila.broker.grpc;

import io.fila.broker.stats.BucketStats;
import io.fila.broker.stats.ThrottleStats;
import io.fila.protocol.v1.Bucket;
import io.fila.protocol.v1.DeclaredLimits;
import io.fila.protocol.v1.Throttle;
import io.fila.protocol.v1.UsedLimit;

/** Writes throttles and their buckets. */
final class ThrottlesToProtocol {

    private ThrottlesToProtocol() {}

    static io.fila.protocol.v1.ThrottleStats throttle(ThrottleStats stats) {
        var builder = io.fila.protocol.v1.ThrottleStats.newBuilder()
                .setThrottle(Throttle.newBuilder()
                        .setName(stats.name())
                        .addAllLimits(ToProtocol.texts(stats.limits()))
                        .addAllKey(ToProtocol.texts(stats.key()))
                        .setWhenKeyMissing(ToProtocol.missingKey(stats.whenKeyMissing())))
                .addAllQueues(ToProtocol.texts(stats.queues()))
                .setSubscribers(stats.subscribers())
                .setActiveBuckets(stats.activeBuckets())
                .setBucketsAtLimit(stats.bucketsAtLimit())
                .setWaiting(stats.waiting());
        stats.declared()
                .forEach(declared -> builder.addDeclared(DeclaredLimits.newBuilder()
                        .addAllLimits(ToProtocol.texts(declared.limits()))
                        .setSubscribers(declared.subscribers())));
        stats.topBuckets().forEach(bucket -> builder.addTopBuckets(bucket(bucket)));
        return builder.build();
    }

    static Bucket bucket(BucketStats bucket) {
        Bucket.Builder builder = Bucket.newBuilder().setWaiting(bucket.waiting());
        if (bucket.key() == null) {
            builder.setLacksKey(true);
        } else {
            builder.addAllKey(bucket.key());
        }
        bucket.used()
                .forEach(used -> builder.addUsed(
                        UsedLimit.newBuilder().setLimit(used.limit().toString()).setCount(used.count())));
        if (bucket.roomAt() != null) {
            builder.setRoomAt(ToProtocol.timestamp(bucket.roomAt()));
        }
        if (bucket.closedUntil() != null) {
            builder.setClosedUntil(ToProtocol.timestamp(bucket.closedUntil()));
        }
        return builder.build();
    }
}
