package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Settlement;
import io.fila.broker.pacing.BucketStore.Refund;
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

    /** Beyond so many the oldest keep their bound, which is only stricter. */
    private static final int MAX_PENDING = 10_000;

    /** What no claim has settled for so long is settled by itself: claims of others may be waiting for what it counts. */
    private static final long OVERDUE = Duration.ofMillis(25).toNanos();

    private final long queueId;
    private final PacingContext context;
    private final LaneIntake intake;

    /** Records to settle with the next claim of their bucket, the oldest first. */
    private final LinkedHashMap<UUID, Pending> pending = new LinkedHashMap<>();

    private record Pending(BucketStore.Settlement settlement, long since) {}

    Aftermath(long queueId, PacingContext context, LaneIntake intake) {
        this.queueId = queueId;
        this.context = context;
        this.intake = intake;
    }

    /** What a claim of these lanes is to settle first. */
    List<BucketStore.Settlement> pendingOf(Proposal proposal) {
        if (pending.isEmpty()) {
            return List.of();
        }
        Map<UUID, BucketStore.Settlement> found = new HashMap<>();
        for (Proposal.Share share : proposal.shares()) {
            for (UUID bucket : share.buckets()) {
                Pending one = pending.get(bucket);
                if (one != null) {
                    found.put(bucket, one.settlement());
                }
            }
        }
        return List.copyOf(found.values());
    }

    /** When the oldest record is to be settled by itself; {@link Long#MAX_VALUE} if there is none. */
    long nextOverdue() {
        return pending.isEmpty()
                ? Long.MAX_VALUE
                : pending.values().iterator().next().since() + OVERDUE;
    }

    /** Settles what no claim has settled for long. */
    void settleOverdue(long now) {
        if (nextOverdue() - now > 0) {
            return;
        }
        List<BucketStore.Settlement> all =
                pending.values().stream().map(Pending::settlement).toList();
        pending.clear();
        settleNow(all, List.of());
    }

    /** These records have been settled, by a claim. */
    void settled(Set<Long> records) {
        if (!records.isEmpty()) {
            pending.values()
                    .removeIf(one -> records.contains(one.settlement().grant().record()));
        }
    }

    /** Settles what has just been sent; returns the room of those buckets that were settled at once. */
    Map<UUID, Room> settle(Outbox.Departed departed) {
        long now = System.nanoTime();
        OffsetDateTime sentBy = context.timeline().clock().atMost(departed.by());
        Departure departure = departed.entry().departure();
        QueueRules rules = departed.entry().rules();
        announce(rules, departure, departed.sent());
        Map<UUID, Integer> refunds = giveBack(rules, departed.sent());
        List<BucketStore.Settlement> atOnce = new ArrayList<>();
        List<Refund> refunded = new ArrayList<>();
        for (Grant grant : departure.grants()) {
            var settlement = new BucketStore.Settlement(grant, sentBy);
            Integer unused = refunds.get(grant.bucket());
            if (unused != null) {
                refunded.add(new Refund(grant, unused));
            }
            if (unused != null || departed.entry().usedUp().contains(grant.bucket())) {
                atOnce.add(settlement);
            } else {
                postpone(settlement, now);
            }
        }
        return settleNow(atOnce, refunded);
    }

    private void postpone(BucketStore.Settlement settlement, long now) {
        pending.put(settlement.grant().bucket(), new Pending(settlement, now));
        if (pending.size() > MAX_PENDING) {
            pending.remove(pending.keySet().iterator().next());
        }
    }

    private Map<UUID, Room> settleNow(List<BucketStore.Settlement> settlements, List<Refund> refunds) {
        if (settlements.isEmpty()) {
            return Map.of();
        }
        try {
            BucketStore.Settled settled = context.buckets().settleNow(settlements, refunds);
            long now = System.nanoTime();
            for (BucketStore.Settlement settlement : settlements) {
                if (!settled.records().contains(settlement.grant().record())) {
                    postpone(settlement, now);
                }
            }
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
        List<Settlement.Release> releases = new ArrayList<>();
        for (Leased leased : all) {
            releases.add(new Settlement.Release(leased.delivery().lease()));
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
