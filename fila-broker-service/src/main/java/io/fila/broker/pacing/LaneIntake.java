package io.fila.broker.pacing;

import java.time.Duration;
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

import io.fila.broker.message.LaneKey;
import io.fila.broker.message.ReadySignals.Sample;
import io.fila.broker.message.Weight;
import io.fila.broker.pacing.LaneSignals.Signal;
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

    private final LaneSignals signals = new LaneSignals();

    /** Lanes that an older lane key named, and from which sequence on they are looked at: their messages are moved, a batch at a time. */
    private final Map<UUID, Long> stale = new LinkedHashMap<>();

    /** Buckets that this node has made sure of since the last sweep: one that was evicted is inserted by the claim that misses it. */
    private final Set<UUID> inserted = new HashSet<>();

    /** Where the sweep under way goes on; null between sweeps. */
    private @Nullable UUID sweepAfter = LaneStore.FIRST;

    /** How long finding lanes has taken in the sweep that is under way, or in the last one. */
    private long sweepNanos;

    /** How often a sweep weighs known lanes, too: makes up for lost signals, and for those that tell no weight. */
    private final long weighInterval;

    /** When a sweep that begins is to weigh. */
    private long nextWeighing = System.nanoTime();

    /** Whether the sweep that is under way weighs, and how long that has taken. */
    private boolean isWeighing;

    private long weighNanos;

    LaneIntake(LaneStore lanes, BucketStore buckets, Duration weighInterval) {
        this.lanes = lanes;
        this.heads = new GroupHeads(lanes);
        this.buckets = buckets;
        this.weighInterval = weighInterval.toNanos();
    }

    /** A lane with what it takes to schedule it. */
    private record Arrival(UUID lane, long first, int count, Keyed keyed, Weight weight) {

        static Arrival of(Found found, int count) {
            return new Arrival(found.lane(), found.sequence(), count, found.properties(), found.weight());
        }

        Arrival and(Arrival other) {
            Weight latest = other.weight.sequence() > weight.sequence() ? other.weight : weight;
            return new Arrival(lane, Math.min(first, other.first), count + other.count, keyed, latest);
        }
    }

    void signal(UUID lane, long first, int count, @Nullable Sample sample) {
        signals.add(lane, first, count, sample);
    }

    /** Looks an ordering group up again: a claim could not lease what was taken for its head. */
    void lookAgain(UUID lane, long head) {
        heads.missed(lane, head);
        signal(lane, head, 0, null);
    }

    /** The database has begun another timeline: what was gone may be there again. */
    void restartWithoutHeads() {
        heads.forgetAll();
        restart();
    }

    /** When there is something to look at again, whatever is signalled. */
    long nextLook() {
        return heads.nextDue();
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
        isWeighing = System.nanoTime() - nextWeighing >= 0;
        weighNanos = 0;
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
        heads.takeDue(System.nanoTime()).forEach(lane -> signals.add(lane, 0, 0, null));
        Map<UUID, Signal> unknown = new HashMap<>();
        signals.takeAll().forEach((lane, signal) -> {
            if (signal.mayHaveLeft() && scheduler.hasHeadBefore(lane, signal.first())) {
                unknown.put(lane, signal);
            } else if (scheduler.knows(lane)) {
                scheduler.signal(lane, signal.first(), signal.count());
                if (signal.weight() != null) {
                    scheduler.weigh(lane, signal.weight());
                }
            } else if (signal.keyed() == null
                    || signal.weight() == null
                    || rules.laneKey().isGroup(signal.keyed())) {
                // of an ordering group, what has arrived is rarely the head
                unknown.put(lane, signal);
            } else {
                arrivals.add(new Arrival(lane, signal.first(), signal.count(), signal.keyed(), signal.weight()));
            }
        });
        if (!unknown.isEmpty()) {
            for (Found found : lookUp(rules, scheduler, unknown.keySet())) {
                Signal signal = unknown.get(found.lane());
                arrivals.add(Arrival.of(found, signal == null ? 1 : signal.count()));
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
        List<UUID> known = new ArrayList<>();
        List<UUID> unknown = new ArrayList<>();
        for (Head head : page) {
            if (scheduler.hasHeadBefore(head.lane(), head.sequence())) {
                unknown.add(head.lane());
            } else if (scheduler.knows(head.lane())) {
                scheduler.signal(head.lane(), head.sequence(), 0);
                known.add(head.lane());
            } else {
                unknown.add(head.lane());
            }
        }
        if (!unknown.isEmpty()) {
            lookUp(rules, scheduler, unknown).forEach(found -> arrivals.add(Arrival.of(found, 1)));
        }
        if (isWeighing) {
            weigh(rules, scheduler, known);
        }
    }

    private void weigh(QueueRules rules, Scheduler scheduler, List<UUID> known) {
        long began = System.nanoTime();
        if (!known.isEmpty()) {
            lanes.weigh(rules.queueId(), known).forEach(scheduler::weigh);
        }
        long now = System.nanoTime();
        weighNanos += now - began;
        if (!isSweeping()) {
            // no more than a twentieth of the time, like sweeping
            nextWeighing = now + Math.max(weighInterval, PacingLoop.SWEEP_REST * weighNanos);
        }
    }

    /** What each lane has to give first; lanes that have nothing to give now are missing, and ordering groups without it forgotten. */
    private List<Found> lookUp(QueueRules rules, Scheduler scheduler, Collection<UUID> wanted) {
        if (rules.laneKey().ordering() == null) {
            return lanes.describe(rules.queueId(), wanted);
        }
        GroupHeads.Ready ready = heads.ready(rules.queueId(), wanted);
        Map<UUID, Long> present = new HashMap<>();
        ready.heads().forEach(head -> present.put(head.lane(), head.sequence()));
        for (UUID lane : wanted) {
            // it was parked, say, and its head has gone
            if (scheduler.hasHeadBefore(lane, present.getOrDefault(lane, Long.MAX_VALUE))) {
                scheduler.forget(lane);
            }
        }
        ready.others().forEach(scheduler::landed);
        List<Found> all = new ArrayList<>(ready.heads());
        if (!ready.others().isEmpty()) {
            for (Found found : lanes.describe(rules.queueId(), ready.others())) {
                // a group that was empty a moment ago: what is ready now need not be its head, and is signalled
                if (!rules.laneKey().isGroup(found.properties())) {
                    all.add(found);
                }
            }
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
            byLane.merge(found.lane(), Arrival.of(found, 1), Arrival::and);
        }
        for (Arrival arrival : byLane.values()) {
            if (scheduler.knows(arrival.lane())) {
                scheduler.signal(arrival.lane(), arrival.first(), arrival.count());
                scheduler.weigh(arrival.lane(), arrival.weight());
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
            Keyed keyed = arrival.keyed();
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
                    arrival.lane(), place.isOrdered(), keyed.fairnessKey(), arrival.weight(), drawnFrom));
            added.add(arrival);
        }
        insert(fresh);
        for (Scheduler.LaneInfo info : infos) {
            Arrival arrival = added.remove();
            if (scheduler.knows(info.id())) {
                scheduler.signal(info.id(), arrival.first(), arrival.count());
                scheduler.weigh(info.id(), arrival.weight());
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
}
