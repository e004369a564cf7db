package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Settlement.Release;
import io.fila.broker.pacing.BucketStore.Refund;
import io.fila.broker.pacing.BucketStore.Settlement;
import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.throttle.Bucket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows a claim once its messages are sent. Records are settled with what is now known of when that was: at once where the
 * claim used up a bucket's room, since somebody may be waiting for it, otherwise with the next claim that meets the bucket.
 * Messages that were not sent go back without an attempt, and their tokens with them.
 */
final class Aftermath {

    private static final Logger log = LoggerFactory.getLogger(Aftermath.class);

    /** What no claim has settled for so long is settled by itself: claims of others may be waiting for what it counts. */
    private static final long OVERDUE = Duration.ofMillis(25).toNanos();

    /** How long a record is tried to be settled after it was sent; then it keeps its bound, which is only stricter. */
    private static final long TRIED_FOR = Duration.ofSeconds(1).toNanos();

    /** Not worth another try. */
    private static final Duration CLOSE = Duration.ofMillis(1);

    private final long queueId;
    private final PacingContext context;
    private final LaneIntake intake;

    /** To be settled with the next claim of their bucket. */
    private final PendingSettlements pending = new PendingSettlements();

    Aftermath(long queueId, PacingContext context, LaneIntake intake) {
        this.queueId = queueId;
        this.context = context;
        this.intake = intake;
    }

    /** What a claim of these lanes is to settle first; {@link #settled} is to be told what came of it. */
    List<Settlement> takePending(Proposal proposal) {
        Set<UUID> buckets = new HashSet<>();
        proposal.shares().forEach(share -> buckets.addAll(share.buckets()));
        return pending.takeOf(buckets);
    }

    /** When the oldest record is to be settled by itself; {@link Long#MAX_VALUE} if there is none. */
    long nextOverdue() {
        long oldest = pending.oldest();
        return oldest == Long.MAX_VALUE ? oldest : oldest + OVERDUE;
    }

    /** Settles what no claim has settled for long; returns the room of the buckets. */
    Map<UUID, Room> settleOverdue(long now) {
        return settleNow(pending.takeUntil(now - OVERDUE), List.of());
    }

    /**
     * Some of these records have been settled: to the given bounds, which may be those of records before them that are still to be
     * settled. The rest had been locked by somebody else. What did not come to what is known is tried again, for a while.
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

    /** Settles what has just been sent; returns the room of those buckets that were settled at once. */
    Map<UUID, Room> settle(Outbox.Departed departed) {
        long now = System.nanoTime();
        OffsetDateTime sentBy = departed.entry().clock().atMost(departed.by());
        Departure departure = departed.entry().departure();
        QueueRules rules = departed.entry().rules();
        announce(rules, departure, departed.sent());
        Map<UUID, Integer> refunds = giveBack(rules, departed.sent());
        List<Settlement> atOnce = new ArrayList<>();
        List<Refund> refunded = new ArrayList<>();
        for (Grant grant : departure.grants()) {
            Settlement settlement = new Settlement(grant, sentBy, departed.by());
            Integer unused = refunds.get(grant.bucket());
            if (unused != null) {
                refunded.add(new Refund(grant, unused));
            }
            if (unused != null || departed.entry().usedUp().contains(grant.bucket())) {
                atOnce.add(settlement);
            } else {
                pending.add(settlement, now);
            }
        }
        return settleNow(atOnce, refunded);
    }

    private Map<UUID, Room> settleNow(List<Settlement> settlements, List<Refund> refunds) {
        if (settlements.isEmpty()) {
            return Map.of();
        }
        try {
            BucketStore.Settled settled = context.buckets().settleNow(settlements, refunds);
            settled(settlements, settled.bounds());
            return settled.rooms();
        } catch (RuntimeException e) {
            // the records keep their bound: stricter, never looser
            log.debug("could not settle deliveries of queue {}", queueId, e);
            return Map.of();
        }
    }

    private void announce(QueueRules rules, Departure departure, Dispatcher.Sent sent) {
        if (!departure.leased().isEmpty()) {
            Delivery first = departure.leased().get(0).delivery();
            context.reclaimer().leasedUntil(first.leaseExpiresAt());
            context.messageMeters().delivered(rules.name(), sent.count());
        }
    }

    /** Releases what was not sent; returns how many tokens of each bucket that frees. */
    private Map<UUID, Integer> giveBack(QueueRules rules, Dispatcher.Sent sent) {
        List<Leased> all = new ArrayList<>(sent.late());
        all.addAll(sent.unwanted());
        if (all.isEmpty()) {
            return Map.of();
        }
        for (Leased leased : sent.late()) {
            for (UUID bucket : leased.buckets()) {
                Bucket known = intake.bucket(bucket);
                if (known != null) {
                    context.meters().tokensExpired(known.throttle(), 1);
                }
            }
        }
        Map<UUID, Integer> refunds = new HashMap<>();
        List<Release> releases = new ArrayList<>();
        for (Leased leased : all) {
            releases.add(new Release(leased.delivery().lease()));
            leased.buckets().forEach(bucket -> refunds.merge(bucket, 1, Integer::sum));
        }
        context.leases().release(queueId, rules.name(), releases).exceptionally(problem -> {
            log.warn(
                    "could not give back {} unsent messages of queue '{}'; they return when their leases expire",
                    releases.size(),
                    rules.name(),
                    problem);
            return Set.of();
        });
        return refunds;
    }
}
