package io.fila.broker.pacing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.fila.broker.message.LaneKey;
import io.fila.broker.message.ReadySignals.Sample;
import io.fila.broker.pacing.LaneStore.Found;
import io.fila.broker.pacing.LaneStore.Head;
import io.fila.broker.pacing.LaneStore.Moved;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * How a queue's scheduler learns of lanes: by signals, which anybody gives at any time, and by sweeps, which find what signals
 * missed. Only {@link #signal} may be called by several threads; the rest belongs to the queue's pacing loop.
 */
final class LaneIntake {

    private static final int PAGE = 1_000;

    private final LaneStore lanes;
    private final GroupHeads heads;
    private final BucketStore buckets;

    /** What was signalled since the loop last looked, one entry for a lane. */
    private final ConcurrentHashMap<UUID, Signal> signals = new ConcurrentHashMap<>();

    /** Lanes that an older lane key named, and from which sequence on they are looked at: their messages are moved, a batch at a time. */
    private final Map<UUID, Long> stale = new LinkedHashMap<>();

    /** Buckets that this node has made sure of since the last sweep: one that was evicted is inserted by the claim that misses it. */
    private final Set<UUID> inserted = new HashSet<>();

    /** Where the sweep under way goes on; null between sweeps. */
    private @Nullable UUID sweepAfter = LaneStore.FIRST;

    /** How long finding lanes has taken in the sweep that is under way, or in the last one. */
    private long sweepNanos;

    LaneIntake(LaneStore lanes, BucketStore buckets) {
        this.lanes = lanes;
        this.heads = new GroupHeads(lanes);
        this.buckets = buckets;
    }

    /** @param sample the latest one seen: its weight holds */
    private record Signal(long first, int count, @Nullable Sample sample) {

        Signal and(Signal other) {
            return new Signal(
                    Math.min(first, other.first),
                    (int) Math.min(Integer.MAX_VALUE, (long) count + other.count),
                    other.sample == null ? sample : other.sample);
        }
    }

    /** A lane with what it takes to schedule it. */
    private record Arrival(UUID lane, long first, int count, Sample sample) {}

    void signal(UUID lane, long first, int count, @Nullable Sample sample) {
        signals.merge(lane, new Signal(first, count, sample), Signal::and);
    }

    /** Looks an ordering group up again: a claim could not lease what was taken for its head. */
    void lookAgain(UUID lane, long head) {
        heads.missed(lane, head);
        signal(lane, head, 0, null);
    }

    boolean hasSignals() {
        return !signals.isEmpty();
    }

    /** Begins a sweep when none is under way: {@link #takeIn} then looks through the whole queue, a page at a time. */
    void sweep() {
        // or keys used once would be kept for ever
        inserted.clear();
        restartSweep();
    }

    /** Forgets where it was and begins a sweep: the rules have changed. */
    void restart() {
        stale.clear();
        restartSweep();
    }

    private void restartSweep() {
        sweepAfter = LaneStore.FIRST;
        sweepNanos = 0;
    }

    boolean isSweeping() {
        return sweepAfter != null;
    }

    /** How many nanoseconds finding lanes took in the last sweep. */
    long sweepNanos() {
        return sweepNanos;
    }

    boolean hasStale() {
        return !stale.isEmpty();
    }

    /** Gives the scheduler what was signalled, the next page of a sweep, and a batch of messages moved to their lanes. */
    void takeIn(QueueRules rules, Scheduler scheduler) {
        List<Arrival> arrivals = new ArrayList<>();
        takeSignals(rules, scheduler, arrivals);
        takeSweepPage(rules, scheduler, arrivals);
        takeStale(rules, scheduler, arrivals);
        addAll(rules, scheduler, arrivals);
    }

    private void takeSignals(QueueRules rules, Scheduler scheduler, List<Arrival> arrivals) {
        Map<UUID, Signal> unknown = new HashMap<>();
        for (UUID lane : List.copyOf(signals.keySet())) {
            Signal signal = signals.remove(lane);
            if (signal == null) {
                continue;
            }
            if (scheduler.knows(lane)) {
                scheduler.signal(lane, signal.first(), signal.count());
                if (signal.sample() != null) {
                    scheduler.weigh(
                            lane,
                            signal.sample().keyed().fairnessKey(),
                            signal.sample().weight());
                }
            } else if (signal.sample() == null
                    || rules.laneKey().isGroup(signal.sample().keyed())) {
                // of an ordering group, what has arrived is rarely the head
                unknown.put(lane, signal);
            } else {
                arrivals.add(new Arrival(lane, signal.first(), signal.count(), signal.sample()));
            }
        }
        if (!unknown.isEmpty()) {
            for (Found found : describe(rules, unknown.keySet())) {
                int count = unknown.getOrDefault(found.lane(), new Signal(0, 1, null))
                        .count();
                arrivals.add(new Arrival(found.lane(), found.sequence(), count, sample(found)));
            }
        }
    }

    private void takeSweepPage(QueueRules rules, Scheduler scheduler, List<Arrival> arrivals) {
        if (sweepAfter == null) {
            return;
        }
        long began = System.nanoTime();
        List<Head> page = lanes.find(rules.queueId(), sweepAfter, PAGE);
        sweepNanos += System.nanoTime() - began;
        sweepAfter = page.size() < PAGE ? null : page.get(page.size() - 1).lane();
        List<UUID> unknown = new ArrayList<>();
        for (Head head : page) {
            if (scheduler.knows(head.lane())) {
                scheduler.signal(head.lane(), head.sequence(), 0);
            } else {
                unknown.add(head.lane());
            }
        }
        if (!unknown.isEmpty()) {
            for (Found found : describe(rules, unknown)) {
                arrivals.add(new Arrival(found.lane(), found.sequence(), 1, sample(found)));
            }
        }
    }

    /** What each lane has to give first; lanes that have nothing to give now are missing. */
    private List<Found> describe(QueueRules rules, Collection<UUID> unknown) {
        if (rules.laneKey().ordering() == null) {
            return lanes.describe(rules.queueId(), unknown);
        }
        GroupHeads.Ready ready = heads.ready(rules.queueId(), unknown);
        List<Found> all = new ArrayList<>(ready.heads());
        if (!ready.others().isEmpty()) {
            all.addAll(lanes.describe(rules.queueId(), ready.others()));
        }
        return all;
    }

    private void takeStale(QueueRules rules, Scheduler scheduler, List<Arrival> arrivals) {
        if (stale.isEmpty()) {
            return;
        }
        List<Head> first = stale.entrySet().stream()
                .limit(PAGE)
                .map(entry -> new Head(entry.getKey(), entry.getValue()))
                .toList();
        Moved moved = lanes.relane(rules.queueId(), first, rules.laneKey(), PAGE);
        for (Head done : first.subList(0, moved.lanesDone())) {
            if (done.sequence() > 0) {
                // what has come back meanwhile
                stale.put(done.lane(), 0L);
            } else {
                stale.remove(done.lane());
            }
        }
        if (moved.lanesDone() < first.size()) {
            stale.put(first.get(moved.lanesDone()).lane(), moved.next());
        }
        Map<UUID, Arrival> byLane = new HashMap<>();
        for (Found found : moved.messages()) {
            byLane.merge(
                    found.lane(),
                    new Arrival(found.lane(), found.sequence(), 1, sample(found)),
                    (a, b) -> new Arrival(a.lane(), Math.min(a.first(), b.first()), a.count() + 1, a.sample()));
        }
        for (Arrival arrival : byLane.values()) {
            if (scheduler.knows(arrival.lane())) {
                scheduler.signal(arrival.lane(), arrival.first(), arrival.count());
            } else {
                arrivals.add(arrival);
            }
        }
    }

    private void addAll(QueueRules rules, Scheduler scheduler, List<Arrival> arrivals) {
        List<Bucket> fresh = new ArrayList<>();
        List<Scheduler.LaneInfo> infos = new ArrayList<>();
        ArrayDeque<Arrival> added = new ArrayDeque<>();
        for (Arrival arrival : arrivals) {
            Keyed keyed = arrival.sample().keyed();
            LaneKey.Place place = rules.laneKey().placeOf(keyed);
            if (!place.lane().equals(arrival.lane())) {
                stale.putIfAbsent(arrival.lane(), 0L);
                continue;
            }
            List<Scheduler.BucketInfo> drawnFrom = new ArrayList<>();
            for (var throttle : rules.throttles()) {
                throttle.bucketOf(keyed).ifPresent(bucket -> {
                    if (inserted.add(bucket.id())) {
                        fresh.add(bucket);
                    }
                    drawnFrom.add(new Scheduler.BucketInfo(bucket, throttle.most()));
                });
            }
            infos.add(new Scheduler.LaneInfo(
                    arrival.lane(),
                    place.isOrdered(),
                    keyed.fairnessKey(),
                    arrival.sample().weight(),
                    drawnFrom));
            added.add(arrival);
        }
        insert(fresh);
        for (Scheduler.LaneInfo info : infos) {
            Arrival arrival = added.remove();
            if (scheduler.knows(info.id())) {
                scheduler.signal(info.id(), arrival.first(), arrival.count());
            } else {
                scheduler.add(info, arrival.first(), arrival.count());
            }
        }
    }

    private void insert(List<Bucket> fresh) {
        if (fresh.isEmpty()) {
            return;
        }
        try {
            buckets.insert(fresh);
        } catch (RuntimeException e) {
            // or they would be taken for being there
            fresh.forEach(bucket -> inserted.remove(bucket.id()));
            throw e;
        }
    }

    private static Sample sample(Found found) {
        return new Sample(found.properties(), found.weight());
    }
}
