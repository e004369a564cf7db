package io.fila.broker.pacing;

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

    private final long queueId;
    private final PacingContext context;
    private final LaneIntake intake;

    private final Settling settling;

    Aftermath(long queueId, PacingContext context, LaneIntake intake) {
        this.queueId = queueId;
        this.context = context;
        this.intake = intake;
        this.settling = new Settling(context.buckets());
    }

    /** What a claim of these lanes is to settle first; {@link #settled} is to be told what came of it. */
    List<Settlement> takePending(Proposal proposal) {
        Set<UUID> buckets = new HashSet<>();
        proposal.shares().forEach(share -> buckets.addAll(share.buckets()));
        return settling.takeOf(buckets);
    }

    /** When the oldest record is to be settled by itself; {@link Long#MAX_VALUE} if there is none. */
    long nextOverdue() {
        return settling.nextOverdue();
    }

    /** Settles what no claim has settled for long; returns the room of the buckets. */
    Map<UUID, Room> settleOverdue(long now) {
        return settling.settleOverdue(now);
    }

    /** Some of the records of {@link #takePending} have been settled, to these bounds. */
    void settled(List<Settlement> tried, Map<Long, OffsetDateTime> bounds) {
        settling.settled(tried, bounds);
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
                settling.later(settlement, now);
            }
        }
        return settling.settleNow(atOnce, refunded);
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
