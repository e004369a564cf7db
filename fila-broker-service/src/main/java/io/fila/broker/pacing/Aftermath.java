package io.fila.broker.pacing;

import java.time.temporal.ChronoUnit;
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
import io.fila.broker.pacing.Claimed.BucketAnswer;
import io.fila.broker.pacing.Claimed.Leased;
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

    private final long queueId;
    private final PacingContext context;
    private final LaneIntake intake;

    /** Records to settle with the next claim of their bucket. */
    private final LinkedHashMap<UUID, BucketStore.Settlement> pending = new LinkedHashMap<>();

    private long settledAt;

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
                BucketStore.Settlement settlement = pending.get(bucket);
                if (settlement != null) {
                    found.put(bucket, settlement);
                }
            }
        }
        return List.copyOf(found.values());
    }

    /** When {@link #settle} last began to count room, by this node's clock. */
    long settledAt() {
        return settledAt;
    }

    /** Settles a claim that began at {@code t0}; returns the room of those buckets that were settled at once. */
    Map<UUID, Room> settle(QueueRules rules, Claimed claimed, Dispatcher.Unsent unsent, long t0) {
        long now = System.nanoTime();
        pending.values()
                .removeIf(settlement ->
                        claimed.settled().contains(settlement.grant().record()));
        announce(rules, claimed, unsent);
        Map<UUID, Integer> refunds = giveBack(rules, unsent);
        List<BucketStore.Settlement> atOnce = new ArrayList<>();
        List<Refund> refunded = new ArrayList<>();
        for (Grant grant : claimed.grants()) {
            // at least the time that passed since before the grant: an upper bound on how long after it the sends were
            var sentBy = grant.g().plus((now - t0) / 1000 + 1, ChronoUnit.MICROS);
            var settlement = new BucketStore.Settlement(grant, sentBy);
            Integer unused = refunds.get(grant.bucket());
            if (unused != null) {
                refunded.add(new Refund(grant, unused));
            }
            if (unused != null || claimed.rooms().get(grant.bucket()) instanceof BucketAnswer.UsedUp) {
                atOnce.add(settlement);
            } else {
                pending.put(grant.bucket(), settlement);
            }
        }
        while (pending.size() > MAX_PENDING) {
            pending.remove(pending.keySet().iterator().next());
        }
        return settleNow(atOnce, refunded);
    }

    private Map<UUID, Room> settleNow(List<BucketStore.Settlement> settlements, List<Refund> refunds) {
        if (settlements.isEmpty()) {
            return Map.of();
        }
        settledAt = System.nanoTime();
        try {
            return context.buckets().settleNow(settlements, refunds);
        } catch (RuntimeException e) {
            // the records keep their bound: stricter, never looser
            log.debug("could not settle deliveries of queue {}", queueId, e);
            return Map.of();
        }
    }

    private void announce(QueueRules rules, Claimed claimed, Dispatcher.Unsent unsent) {
        if (!claimed.leased().isEmpty()) {
            Delivery first = claimed.leased().get(0).delivery();
            context.reclaimer().leasedUntil(first.leaseExpiresAt());
            int sent = claimed.leased().size()
                    - unsent.late().size()
                    - unsent.unwanted().size();
            context.messageMeters().delivered(rules.name(), sent);
        }
    }

    /** Releases what was not sent; returns how many tokens of each bucket that frees. */
    private Map<UUID, Integer> giveBack(QueueRules rules, Dispatcher.Unsent unsent) {
        List<Leased> all = new ArrayList<>(unsent.late());
        all.addAll(unsent.unwanted());
        if (all.isEmpty()) {
            return Map.of();
        }
        for (Leased leased : unsent.late()) {
            for (UUID bucket : leased.buckets()) {
                String throttle = intake.throttleOf(bucket);
                if (throttle != null) {
                    context.meters().tokensExpired(throttle, 1);
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
