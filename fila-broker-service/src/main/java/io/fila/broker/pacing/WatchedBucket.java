package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.UUID;

import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;

/** What the scheduler knows of a bucket: until when it has no room, and which lanes wait for that. */
final class WatchedBucket {

    static final Comparator<WatchedBucket> BY_WAKE =
            Comparator.comparingLong((WatchedBucket bucket) -> bucket.wakeAt).thenComparing(bucket -> bucket.id);

    /** As far as is known there is room. */
    static final long OPEN = Long.MIN_VALUE;

    final Bucket bucket;

    final UUID id;

    /** No more than this many can have room at once. */
    final int most;

    /** The lanes that it holds. */
    final FairQueue parked = new FairQueue();

    /** The moment, on the scheduler's clock, from which there is room again; {@link #OPEN}. */
    long roomAt = OPEN;

    /** What the database's clock shows at that moment; null if it is not known. Kept when the moment is near, for the claim. */
    @Nullable OffsetDateTime opensAt;

    /** When its parked lanes are to be looked at: when it has room, or an answer about it is overdue. */
    long wakeAt = OPEN;

    WatchedBucket(Bucket bucket, int most) {
        this.bucket = bucket;
        this.id = bucket.id();
        this.most = most;
    }

    boolean hasRoomAt(long now) {
        return roomAt <= now;
    }
}
