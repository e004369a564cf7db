package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;

import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.throttle.Bucket;

/**
 * Messages of a claim that are sent at one moment. A claim that ran ahead of a bucket's room is sent when the room is there: no
 * message goes before the moment for which it was granted.
 *
 * @param at from when on it may be sent, by this node's clock
 */
record Departure(long at, List<Leased> leased) {

    /** Moments closer than this are made one. */
    private static final long TOGETHER = Duration.ofMillis(1).toNanos();

    private Departure(long at) {
        this(at, new ArrayList<>());
    }

    /**
     * Splits a claim by when its messages may be sent, the soonest first.
     *
     * @param surelyAt from when on, by this node's clock, the database's clock has surely reached a time
     */
    static List<Departure> of(Claimed claimed, ToLongFunction<OffsetDateTime> surelyAt, long now) {
        Map<UUID, Long> byBucket = new HashMap<>();
        boolean areAllNow = true;
        for (Grant grant : claimed.grants()) {
            long at = Math.max(now, surelyAt.applyAsLong(grant.g()));
            areAllNow &= at == now;
            byBucket.put(grant.bucket(), at);
        }
        if (areAllNow) {
            return List.of(new Departure(now, claimed.leased()));
        }
        TreeMap<Long, Departure> departures = new TreeMap<>();
        for (Leased leased : claimed.leased()) {
            departures
                    .computeIfAbsent(atOf(leased, byBucket, now), Departure::new)
                    .leased()
                    .add(leased);
        }
        return merged(departures, now);
    }

    private static long atOf(Leased leased, Map<UUID, Long> byBucket, long now) {
        long at = now;
        for (Bucket bucket : leased.buckets()) {
            at = Math.max(at, byBucket.getOrDefault(bucket.id(), now));
        }
        return at;
    }

    /** Makes one of those that are close to each other, at the moment of the last. What may go now is not kept waiting. */
    private static List<Departure> merged(TreeMap<Long, Departure> departures, long now) {
        List<Departure> merged = new ArrayList<>();
        for (Departure next : departures.descendingMap().values()) {
            Departure later = merged.isEmpty() ? null : merged.get(0);
            if (later != null && next.at > now && later.at - next.at <= TOGETHER) {
                later.leased.addAll(next.leased);
            } else {
                merged.add(0, next);
            }
        }
        return merged;
    }
}
