package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;

import io.fila.broker.message.Weight;
import io.fila.broker.pacing.Lane.Place;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to propose next for one queue on one node, from a picture that may be wrong: a claim corrects it, and nothing is
 * delivered because of it alone.
 *
 * <p>Fairness groups take turns by deficit round robin, each with its lanes by age: for credit, and by themselves for the room
 * of each bucket (see {@link FairQueue}). A lane that a bucket holds waits at that bucket, and costs nothing until the bucket has
 * room (invariant I5); then only as many lanes are proposed as can have room.
 *
 * <p>No I/O, no clock, no locks: the caller gives the time (any monotonic nanoseconds) and calls from one thread at a time.
 */
final class Scheduler {

    /** So that a lane of unknown length is explored quickly, and a short one is not asked for the moon. */
    private static final long MAX_WANT = 100_000;

    /** By how much more is asked for of a lane that had all that was asked for. */
    private static final long EXPLORES = 8;

    /** How long to wait for what a claim says of a bucket before looking at its parked lanes again. */
    private static final long ANSWER_OVERDUE = 50_000_000;

    /** So many ordering groups in flight are known, those that were claimed last. */
    private static final int MOST_IN_FLIGHT = 10_000;

    private final Map<UUID, Lane> lanes = new HashMap<>();

    /** Ordering groups that were forgotten when they were claimed, and have not come back: their fairness groups are not idle. */
    private final Map<UUID, Lane> inFlight = new LinkedHashMap<>();

    private final Map<@Nullable String, FairnessGroup> groups = new HashMap<>();
    private final Map<UUID, WatchedBucket> buckets = new HashMap<>();

    /** Buckets with parked lanes, by when those are to be looked at. */
    private final TreeSet<WatchedBucket> holding = new TreeSet<>(WatchedBucket.BY_WAKE);

    /** Lanes that may be proposed. */
    private final FairQueue ready = new FairQueue();

    /** What there is to know of a lane that the scheduler does not know yet. */
    record LaneInfo(UUID id, boolean isGroup, @Nullable String fairnessKey, Weight weight, List<BucketInfo> buckets) {}

    /** @param most no more than this many can have room at once */
    record BucketInfo(Bucket bucket, int most) {}

    boolean knows(UUID lane) {
        return lanes.containsKey(lane);
    }

    /** Whether it is a known ordering group whose head comes before that sequence. */
    boolean hasHeadBefore(UUID id, long sequence) {
        Lane lane = lanes.get(id);
        return lane != null && lane.isGroup && lane.head < sequence;
    }

    /** The head of a known ordering group, which is not being claimed, has gone or may not go: it is to be added anew. */
    void forget(UUID id) {
        Lane lane = lanes.get(id);
        if (lane == null || lane.place == Place.CLAIMED) {
            throw new IllegalArgumentException("lane " + id + " is unknown, or is being claimed");
        }
        queueOf(lane).remove(lane);
        if (lane.holder != null && lane.holder.parked.isEmpty()) {
            holding.remove(lane.holder);
        }
        if (lane.wokenBy != null) {
            lane.wokenBy.parked.settle(lane.group, lane.portion, 0);
        }
        remove(lane);
    }

    /** Messages of a known lane are ready: {@code count} of them, none with a lower sequence than {@code first}. */
    void signal(UUID id, long first, int count) {
        Lane lane = lanes.get(id);
        if (lane == null) {
            throw new IllegalArgumentException("unknown lane " + id);
        }
        if (lane.isGroup) {
            // that more waits behind its head changes nothing
            return;
        }
        lane.want = Math.min(MAX_WANT, lane.want + count);
        if (lane.place == Place.CLAIMED) {
            lane.signalled = Math.min(lane.signalled, first);
        } else if (first < lane.head) {
            moveHead(lane, first);
        }
    }

    /**
     * A message of a known lane gives its fairness group this weight. Of an ordering group, it may be of another fairness group than
     * the head.
     */
    void weigh(UUID id, Weight weight) {
        Lane lane = lanes.get(id);
        if (lane != null && !lane.isGroup) {
            lane.group.weigh(weight);
        }
    }

    /** Messages of a lane not known yet are ready. */
    void add(LaneInfo info, long first, int count) {
        FairnessGroup group = groups.computeIfAbsent(info.fairnessKey(), FairnessGroup::new);
        group.weigh(info.weight());
        List<WatchedBucket> drawnFrom = new ArrayList<>(info.buckets().size());
        for (BucketInfo drawn : info.buckets()) {
            WatchedBucket watched =
                    buckets.computeIfAbsent(drawn.bucket().id(), id -> new WatchedBucket(drawn.bucket(), drawn.most()));
            watched.parked.join(group);
            drawnFrom.add(watched);
        }
        ready.join(group);
        group.lanes++;
        Lane lane = new Lane(info.id(), info.isGroup(), group, drawnFrom, first);
        lane.want = Math.min(MAX_WANT, 1L + count);
        lanes.put(info.id(), lane);
        makeReady(lane);
        landed(info.id());
    }

    /** Nothing of an ordering group is in flight any more, or waits; if it was not known to be in flight, nothing happens. */
    void landed(UUID id) {
        Lane lane = inFlight.remove(id);
        if (lane != null) {
            leave(lane, FairQueue::land);
        }
    }

    /**
     * Proposes up to {@code credit} messages of up to {@code maxLanes} lanes: of those whose buckets have room by {@code now}, which
     * may lie ahead. Every proposed lane must be answered.
     */
    Proposal propose(int credit, int maxLanes, long now) {
        wakeParked(credit, now);
        Set<Lane> chosen = new LinkedHashSet<>();
        int left = credit;
        while (left > 0 && !ready.isEmpty()) {
            Lane lane = ready.next();
            if (!chosen.contains(lane)) {
                if (chosen.size() == maxLanes) {
                    break;
                }
                if (parkIfHeld(lane, lane.wokenBy, now)) {
                    continue;
                }
                chosen.add(lane);
            }
            int portion = Math.min(ready.portion(left), lane.most() - lane.quota);
            lane.quota += portion;
            left -= portion;
            ready.promise(lane.group, portion);
            if (lane.quota == lane.most()) {
                ready.remove(lane);
                lane.place = Place.CLAIMED;
            }
        }
        List<Share> shares = new ArrayList<>(chosen.size());
        Map<UUID, OffsetDateTime> openings = new HashMap<>();
        for (Lane lane : chosen) {
            if (lane.place == Place.READY) {
                ready.remove(lane);
                lane.place = Place.CLAIMED;
            }
            shares.add(share(lane));
            for (WatchedBucket bucket : lane.buckets) {
                if (bucket.opensAt != null) {
                    openings.put(bucket.id, bucket.opensAt);
                }
            }
        }
        return new Proposal(shares, openings);
    }

    /**
     * Takes in what a claim says of a proposed lane; what it says of buckets is to be given first. An ordering group whose head was
     * leased is forgotten until that has left; one that had no such head is forgotten, too, as somebody else has it, and has to be
     * looked up again: true then.
     */
    boolean answer(LaneAnswer answer, long now) {
        Lane lane = lanes.get(answer.lane());
        if (lane == null || lane.place != Place.CLAIMED) {
            throw new IllegalArgumentException("lane " + answer.lane() + " has not been proposed");
        }
        WatchedBucket wokenBy = lane.wokenBy;
        count(lane, answer.leased());
        boolean isDrained = answer.leased() < answer.asked();
        if (lane.isGroup && (isDrained || answer.leased() > 0)) {
            takeOff(lane);
            return isDrained;
        }
        if (isDrained && lane.signalled == Long.MAX_VALUE) {
            remove(lane);
            return false;
        }
        long unseen = isDrained ? 1 : Math.min(EXPLORES * answer.leased(), MAX_WANT);
        lane.want = Math.max(1, Math.max(lane.want - answer.leased(), unseen));
        lane.head = Math.min(answer.head(), lane.signalled);
        lane.signalled = Long.MAX_VALUE;
        lane.place = Place.READY;
        ready.putBack(lane);
        parkIfHeld(lane, wokenBy, now);
        return false;
    }

    /**
     * A bucket has room from that moment on, which may have passed.
     *
     * @param opensAt what the database's clock shows then, if it is known: a claim is told
     */
    void roomFrom(UUID id, long roomAt, @Nullable OffsetDateTime opensAt) {
        WatchedBucket bucket = buckets.get(id);
        if (bucket == null) {
            return;
        }
        holding.remove(bucket);
        bucket.roomAt = roomAt;
        bucket.opensAt = opensAt;
        bucket.wakeAt = roomAt;
        if (!bucket.parked.isEmpty()) {
            holding.add(bucket);
        }
    }

    /** When a parked lane may go; {@link Long#MAX_VALUE} if none is parked. */
    long nextWake() {
        return holding.isEmpty() ? Long.MAX_VALUE : holding.first().wakeAt;
    }

    /** How many can have room together when the next parked lane may go; 0 if none is parked. */
    int nextRoom() {
        return holding.isEmpty() ? 0 : holding.first().most;
    }

    /** Whether a lane could be proposed now, as far as is known. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Whether nothing is kept: no lane, no group, no bucket. */
    boolean isEmpty() {
        return lanes.isEmpty()
                && inFlight.isEmpty()
                && groups.isEmpty()
                && buckets.isEmpty()
                && holding.isEmpty()
                && ready.isAbandoned();
    }

    /** Counts what was leased for its group, wherever others wanted it too, instead of what it was meant to get. */
    private void count(Lane lane, int leased) {
        ready.settle(lane.group, lane.quota, leased);
        for (WatchedBucket bucket : lane.buckets) {
            if (bucket == lane.wokenBy) {
                bucket.parked.settle(lane.group, lane.portion, leased);
            } else if (!bucket.parked.isEmpty()) {
                bucket.parked.settle(lane.group, 0, leased);
            }
        }
        lane.quota = 0;
        lane.portion = 0;
        lane.wokenBy = null;
    }

    private void wakeParked(int credit, long now) {
        while (credit > 0 && !holding.isEmpty() && holding.first().wakeAt <= now) {
            WatchedBucket bucket = holding.first();
            holding.remove(bucket);
            bucket.roomAt = WatchedBucket.OPEN;
            share(bucket, Math.min(bucket.most, credit), now);
            // the claim's answer says how much room is left, and wakes the rest; unless it never gets to be claimed
            bucket.wakeAt = now + ANSWER_OVERDUE;
            if (!bucket.parked.isEmpty()) {
                holding.add(bucket);
            }
        }
    }

    /** Makes lanes ready that a bucket held: as many as can go if it has that much room. */
    private void share(WatchedBucket bucket, int room, long now) {
        Set<Lane> woken = new LinkedHashSet<>();
        int left = room;
        while (left > 0 && !bucket.parked.isEmpty()) {
            Lane lane = bucket.parked.next();
            if (!woken.contains(lane) && parkIfHeld(lane, null, now)) {
                continue;
            }
            woken.add(lane);
            int portion = Math.min(bucket.parked.portion(left), lane.expected() - lane.portion);
            lane.portion += portion;
            left -= portion;
            bucket.parked.promise(lane.group, portion);
            if (lane.portion == lane.expected()) {
                wake(lane, bucket);
            }
        }
        for (Lane lane : woken) {
            if (lane.place == Place.PARKED) {
                wake(lane, bucket);
            }
        }
    }

    private void wake(Lane lane, WatchedBucket bucket) {
        bucket.parked.remove(lane);
        lane.holder = null;
        lane.wokenBy = bucket;
        makeReady(lane);
    }

    /** @param wokenBy where it was parked until it was to be claimed; null if it was not */
    private boolean parkIfHeld(Lane lane, @Nullable WatchedBucket wokenBy, long now) {
        WatchedBucket holder = null;
        for (WatchedBucket bucket : lane.buckets) {
            if (!bucket.hasRoomAt(now) && (holder == null || bucket.roomAt > holder.roomAt)) {
                holder = bucket;
            }
        }
        if (holder == null) {
            return false;
        }
        queueOf(lane).remove(lane);
        if (lane.wokenBy != null) {
            lane.wokenBy.parked.settle(lane.group, lane.portion, 0);
            lane.wokenBy = null;
            lane.portion = 0;
        }
        lane.place = Place.PARKED;
        lane.holder = holder;
        if (holder == wokenBy) {
            holder.parked.putBack(lane);
        } else {
            holder.parked.add(lane);
        }
        holding.add(holder);
        return true;
    }

    private void moveHead(Lane lane, long head) {
        FairQueue queue = queueOf(lane);
        queue.remove(lane);
        lane.head = head;
        queue.putBack(lane);
    }

    /** Where a lane waits that is not being claimed. */
    private FairQueue queueOf(Lane lane) {
        return lane.holder == null ? ready : lane.holder.parked;
    }

    private void makeReady(Lane lane) {
        lane.place = Place.READY;
        ready.add(lane);
    }

    private void takeOff(Lane lane) {
        lanes.remove(lane.id);
        ready.takeOff(lane.group);
        lane.buckets.forEach(bucket -> bucket.parked.takeOff(lane.group));
        inFlight.put(lane.id, lane);
        if (inFlight.size() > MOST_IN_FLIGHT) {
            landed(inFlight.keySet().iterator().next());
        }
    }

    private void remove(Lane lane) {
        lanes.remove(lane.id);
        leave(lane, FairQueue::leave);
    }

    private void leave(Lane lane, BiConsumer<FairQueue, FairnessGroup> how) {
        how.accept(ready, lane.group);
        for (WatchedBucket bucket : lane.buckets) {
            how.accept(bucket.parked, lane.group);
            if (bucket.parked.isAbandoned()) {
                buckets.remove(bucket.id);
            }
        }
        lane.group.lanes--;
        if (lane.group.lanes == 0) {
            groups.remove(lane.group.key);
        }
    }

    private static Share share(Lane lane) {
        List<Bucket> drawnFrom =
                lane.buckets.stream().map(watched -> watched.bucket).toList();
        return new Share(
                lane.id, lane.isGroup, lane.head, Math.min(lane.quota, lane.expected()), lane.quota, drawnFrom);
    }
}
