package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.pacing.BucketStore.Refund;
import io.fila.broker.pacing.BucketStore.Settlement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles records, at once or with a later grant of their bucket, and tries again what could not be settled fully. What it
 * gives up keeps its bound: stricter, never looser. Only ever touched by one thread at a time.
 */
final class Settling {

    private static final Logger log = LoggerFactory.getLogger(Settling.class);

    /** What no grant has settled for so long is settled by itself: others may be waiting for what it counts. */
    private static final long OVERDUE = Duration.ofMillis(25).toNanos();

    /** How long a record is tried to be settled after it was sent. */
    private static final long TRIED_FOR = Duration.ofSeconds(1).toNanos();

    /** Not worth another try. */
    private static final Duration CLOSE = Duration.ofMillis(1);

    private final BucketStore buckets;

    /** To be settled with the next grant of their bucket. */
    private final PendingSettlements pending = new PendingSettlements();

    Settling(BucketStore buckets) {
        this.buckets = buckets;
    }

    /** To be settled with the next grant of its bucket, or once it is overdue. */
    void later(Settlement settlement, long now) {
        pending.add(settlement, now);
    }

    /** Those of these buckets, to be settled by a grant; {@link #settled} is to be told what came of it. */
    List<Settlement> takeOf(Collection<UUID> ofBuckets) {
        return pending.takeOf(ofBuckets);
    }

    /** When the oldest record is to be settled by itself; {@link Long#MAX_VALUE} if there is none. */
    long nextOverdue() {
        long oldest = pending.oldest();
        return oldest == Long.MAX_VALUE ? oldest : oldest + OVERDUE;
    }

    /** Settles what no grant has settled for long; returns the room of the buckets. */
    Map<UUID, Room> settleOverdue(long now) {
        return settleNow(pending.takeUntil(now - OVERDUE), List.of());
    }

    /**
     * Some of these records have been settled: to the given bounds, which may be those of records before them that are still to
     * be settled. The rest had been locked by somebody else. What did not come to what is known is tried again, for a while.
     */
    void settled(List<Settlement> tried, Map<Long, OffsetDateTime> bounds) {
        long now = System.nanoTime();
        for (Settlement settlement : tried) {
            OffsetDateTime bound = bounds.get(settlement.grant().record());
            boolean isDone = bound != null && !bound.isAfter(settlement.sentBy().plus(CLOSE));
            if (!isDone && now - settlement.sentAt() < TRIED_FOR) {
                pending.add(bound == null ? settlement : settlement.boundBy(bound), now);
            }
        }
    }

    /** Settles and refunds; returns the room of those buckets that nobody else held. */
    Map<UUID, Room> settleNow(List<Settlement> settlements, List<Refund> refunds) {
        if (settlements.isEmpty()) {
            return Map.of();
        }
        try {
            BucketStore.Settled settled = buckets.settleNow(settlements, refunds);
            settled(settlements, settled.bounds());
            return settled.rooms();
        } catch (RuntimeException e) {
            log.debug("could not settle {} records", settlements.size(), e);
            return Map.of();
        }
    }
}
