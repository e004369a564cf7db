package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.pacing.Claimed.BucketAnswer;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;

/** Tells a scheduler, whose clock is this node's, when buckets have room. Only ever used by its loop. */
final class BucketNews {

    /** When to look again at a bucket that somebody else holds. */
    private static final long BUSY_PAUSE = Duration.ofMillis(2).toNanos();

    /** How soon, at the soonest, to look again at a bucket whose records somebody else is about to settle. */
    private static final long UNSETTLED_PAUSE = Duration.ofMillis(5).toNanos();

    private final PacingContext context;

    BucketNews(PacingContext context) {
        this.context = context;
    }

    /** Tells what a claim says; of buckets whose room it used up more is known once it is sent. */
    void tell(Scheduler scheduler, Claimed claimed, long now) {
        List<Bucket> evicted = new ArrayList<>();
        claimed.rooms().forEach((bucket, answer) -> {
            if (answer instanceof BucketAnswer.Full full) {
                tell(scheduler, full.room(), claimed.clock(), now);
            } else if (answer instanceof BucketAnswer.Open open) {
                // the rest of what a claim ahead found is there from the same moment on
                OffsetDateTime from = open.room().g();
                long at = claimed.clock().surelyAt(from);
                scheduler.roomFrom(bucket, at, at > now ? from : null);
            } else if (answer instanceof BucketAnswer.UsedUp) {
                scheduler.roomFrom(bucket, now + bound(), null);
            } else {
                if (answer instanceof BucketAnswer.Missing missing) {
                    evicted.add(missing.bucket());
                }
                scheduler.roomFrom(bucket, now + BUSY_PAUSE, null);
            }
        });
        if (!evicted.isEmpty()) {
            context.buckets().insert(evicted);
        }
    }

    /** Tells what was counted. */
    void tell(Scheduler scheduler, Map<UUID, Room> rooms) {
        long now = System.nanoTime();
        Bounds clock = context.timeline().clock().bounds();
        rooms.values().forEach(room -> tell(scheduler, room, clock, now));
    }

    private void tell(Scheduler scheduler, Room room, @Nullable Bounds clock, long now) {
        OffsetDateTime opensAt = room.roomAt();
        if (opensAt == null) {
            scheduler.roomFrom(room.bucket(), now, null);
        } else if (clock == null) {
            scheduler.roomFrom(room.bucket(), now + UNSETTLED_PAUSE, null);
        } else if (room.isFinal()) {
            scheduler.roomFrom(room.bucket(), clock.surelyAt(opensAt), opensAt);
        } else {
            // a record keeps its bound for no longer than the bound is, and then room may be due that much sooner
            long settled = Math.min(now + bound(), clock.surelyAt(opensAt) - bound());
            scheduler.roomFrom(room.bucket(), Math.max(now + UNSETTLED_PAUSE, settled), null);
        }
    }

    private long bound() {
        return context.properties().tokenExpiry().toNanos();
    }
}
