package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Settlement.Release;
import io.fila.broker.pacing.BucketStore.Refund;
import io.fila.broker.pacing.BucketStore.Settlement;
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

    private final long queueId;
    private final PacingContext context;
    private final Runnable wake;
    private final Settling settling;

    /** Releases that are not answered yet. Written by anybody. */
    private final AtomicInteger givingBack = new AtomicInteger();

    /** @param wake is run whenever messages have been given back */
    Aftermath(long queueId, PacingContext context, Runnable wake) {
        this.queueId = queueId;
        this.context = context;
        this.wake = wake;
        this.settling = new Settling(context.buckets());
    }

    /** What a claim of these lanes is to settle first; {@link #settled} is to be told what came of it. */
    List<Settlement> takePending(Proposal proposal) {
        Set<UUID> buckets = new HashSet<>();
        proposal.shares().forEach(share -> share.buckets().forEach(bucket -> buckets.add(bucket.id())));
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

    /** Settles what has been sent completely; returns the room of those buckets that were settled at once. */
    Map<UUID, Room> settle(Outbox.Departed departed) {
        long now = System.nanoTime();
        Outbox.Entry entry = departed.entry();
        Departure departure = entry.departure();
        List<Leased> unsent = departed.sent().unsent();
        announce(entry.rules(), departure, departed.sent());
        giveBack(entry.rules(), departed.sent(), unsent);
        List<Settlement> atOnce = new ArrayList<>();
        List<Refund> refunded = new ArrayList<>();
        for (OpenRecords.Complete record : entry.records().departed(departure.leased(), unsent, departed.by())) {
            Grant grant = record.grant();
            Settlement settlement = new Settlement(grant, entry.clock().atMost(record.by()), record.by());
            if (record.unsent() > 0) {
                refunded.add(new Refund(grant, record.unsent()));
            }
            if (record.unsent() > 0 || entry.usedUp().contains(grant.bucket())) {
                atOnce.add(settlement);
            } else {
                settling.later(settlement, now);
            }
        }
        return settling.settleNow(atOnce, refunded);
    }

    /** Whether messages are on their way back. */
    boolean isGivingBack() {
        return givingBack.get() > 0;
    }

    private void announce(QueueRules rules, Departure departure, Dispatcher.Sent sent) {
        if (!departure.leased().isEmpty()) {
            Delivery first = departure.leased().get(0).delivery();
            context.reclaimer().leasedUntil(first.leaseExpiresAt());
            context.messageMeters().delivered(rules.name(), sent.count());
        }
    }

    private void giveBack(QueueRules rules, Dispatcher.Sent sent, List<Leased> unsent) {
        if (unsent.isEmpty()) {
            return;
        }
        for (Leased late : sent.late()) {
            late.buckets().forEach(bucket -> context.meters().tokensExpired(bucket.throttle(), 1));
        }
        List<Release> releases = unsent.stream()
                .map(message -> new Release(message.delivery().lease()))
                .toList();
        givingBack.incrementAndGet();
        context.leases().release(queueId, rules.name(), releases).whenComplete((lost, problem) -> {
            givingBack.decrementAndGet();
            if (problem != null) {
                log.warn(
                        "could not give back {} unsent messages of queue '{}', they return when their leases expire: {}",
                        releases.size(),
                        rules.name(),
                        problem.toString());
            }
            wake.run();
        });
    }
}
