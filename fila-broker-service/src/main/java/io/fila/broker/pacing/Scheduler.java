package io.fila.broker.pacing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;

import io.fila.broker.pacing.Lane.Place;
import io.fila.broker.pacing.Proposal.Share;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to propose next for one queue on one node, from a picture that may be wrong: a claim corrects it, and nothing is
 * delivered because of it alone.
 *
 * <p>Fairness groups take turns by deficit round robin, each with its lanes by age. A lane that a bucket holds waits at that
 * bucket, oldest first, and costs nothing until the bucket has room (invariant I5); then only as many lanes are proposed as can
 * have room. Every operation costs a logarithm of the lanes at most, whatever waits.
 *
 * <p>No I/O, no clock, no locks: the caller gives the time (any monotonic nanoseconds) and calls from one thread at a time.
 */
final class Scheduler {

    /** So that a lane of unknown length is explored quickly, and a short one is not asked for the moon. */
    private static final long MAX_WANT = 100_000;

    /** How long to wait for what a claim says of a bucket before looking at its parked lanes again. */
    private static final long ANSWER_OVERDUE = 50_000_000;

    private final Map<UUID, Lane> lanes = new HashMap<>();
    private final Map<String, FairnessGroup> groups = new HashMap<>();
    private @Nullable FairnessGroup unkeyed;
    private final Map<UUID, WatchedBucket> buckets = new HashMap<>();

    /** Buckets with parked lanes, by when those are to be looked at. */
    private final TreeSet<WatchedBucket> holding = new TreeSet<>(WatchedBucket.BY_WAKE);

    /** Groups with ready lanes, the next to be served first. */
    private final ArrayDeque<FairnessGroup> ring = new ArrayDeque<>();

    /** What a weight of one earns on a turn; set anew for each round. */
    private long quantum = 1;

    private int turnsLeft;

    private int readyLanes;

    /** What there is to know of a lane that the scheduler does not know yet. */
    record LaneInfo(UUID id, @Nullable String fairnessKey, int weight, List<BucketInfo> buckets) {}

    /** @param most no more than this many can have room at once */
    record BucketInfo(UUID id, int most) {}

    boolean knows(UUID lane) {
        return lanes.containsKey(lane);
    }

    /** Messages of a known lane are ready: {@code count} of them, none with a lower sequence than {@code first}. */
    void signal(UUID id, long first, int count) {
        Lane lane = lanes.get(id);
        if (lane == null) {
            throw new IllegalArgumentException("unknown lane " + id);
        }
        lane.want = Math.min(MAX_WANT, lane.want + count);
        if (lane.place == Place.CLAIMED) {
            lane.signalled = Math.min(lane.signalled, first);
        } else if (first < lane.head) {
            moveHead(lane, first);
        }
    }

    /** Messages of a lane not known yet are ready. */
    void add(LaneInfo info, long first, int count) {
        FairnessGroup group = group(info);
        List<WatchedBucket> drawnFrom = new ArrayList<>(info.buckets().size());
        for (BucketInfo bucket : info.buckets()) {
            WatchedBucket watched = buckets.computeIfAbsent(bucket.id(), id -> new WatchedBucket(id, bucket.most()));
            watched.lanes++;
            drawnFrom.add(watched);
        }
        group.lanes++;
        Lane lane = new Lane(info.id(), group, drawnFrom, first);
        lane.want = Math.min(MAX_WANT, 1L + count);
        lanes.put(info.id(), lane);
        makeReady(lane);
    }

    /** Proposes up to {@code credit} messages of up to {@code maxLanes} lanes. Every proposed lane must be answered. */
    Proposal propose(int credit, int maxLanes, long now) {
        wakeParked(credit, now);
        List<Share> shares = new ArrayList<>();
        int left = credit;
        while (left > 0 && shares.size() < maxLanes && !ring.isEmpty()) {
            FairnessGroup group = ring.element();
            if (group.ready.isEmpty()) {
                leaveRing();
                continue;
            }
            if (group.deficit <= 0) {
                startTurn(group, left);
            }
            Lane lane = takeOldest(group);
            if (parkIfHeld(lane, now)) {
                continue;
            }
            // alone, a group owes nobody a turn and is charged nothing
            boolean alone = ring.size() == 1;
            int quota = (int) Math.min(lane.want, alone ? left : Math.min(left, group.deficit));
            lane.charged = alone ? 0 : quota;
            group.deficit -= lane.charged;
            left -= quota;
            lane.place = Place.CLAIMED;
            shares.add(share(lane, quota));
            if (!alone && group.deficit <= 0) {
                ring.add(ring.remove());
            }
        }
        return new Proposal(shares);
    }

    /** Takes in what a claim says of a proposed lane; what it says of buckets is to be given first. */
    void answer(LaneAnswer answer, long now) {
        Lane lane = lanes.get(answer.lane());
        if (lane == null || lane.place != Place.CLAIMED) {
            throw new IllegalArgumentException("lane " + answer.lane() + " has not been proposed");
        }
        lane.group.deficit += Math.max(0, lane.charged - answer.leased());
        boolean isSignalled = lane.signalled != Long.MAX_VALUE;
        if (answer.leased() < answer.asked() && !isSignalled) {
            remove(lane);
            return;
        }
        long unseen = isSignalled ? 1 : Math.min(2L * answer.leased(), MAX_WANT);
        lane.want = Math.max(1, Math.max(lane.want - answer.leased(), unseen));
        lane.head = Math.min(answer.head(), lane.signalled);
        lane.signalled = Long.MAX_VALUE;
        if (!parkIfHeld(lane, now)) {
            makeReady(lane);
        }
    }

    /** A bucket has room from that moment on, which may have passed. */
    void roomFrom(UUID id, long roomAt) {
        WatchedBucket bucket = buckets.get(id);
        if (bucket == null) {
            return;
        }
        holding.remove(bucket);
        bucket.roomAt = roomAt;
        bucket.wakeAt = roomAt;
        if (!bucket.parked.isEmpty()) {
            holding.add(bucket);
        }
    }

    /** When a parked lane may go; {@link Long#MAX_VALUE} if none is parked. */
    long nextWake() {
        return holding.isEmpty() ? Long.MAX_VALUE : holding.first().wakeAt;
    }

    /** Whether a lane could be proposed now, as far as is known. */
    boolean hasReady() {
        return readyLanes > 0;
    }

    /** How many lanes are known. */
    int size() {
        return lanes.size();
    }

    private void startTurn(FairnessGroup group, int credit) {
        if (turnsLeft <= 0) {
            turnsLeft = ring.size();
            long weights = ring.stream().mapToLong(member -> member.weight).sum();
            quantum = Math.max(1, credit / weights);
        }
        turnsLeft--;
        group.deficit += group.weight * quantum;
    }

    /** Makes lanes ready whose bucket has room: as many as can go, the oldest first. */
    private void wakeParked(int credit, long now) {
        while (credit > 0 && !holding.isEmpty() && holding.first().wakeAt <= now) {
            WatchedBucket bucket = holding.first();
            holding.remove(bucket);
            bucket.roomAt = WatchedBucket.OPEN;
            long room = Math.min(bucket.most, credit);
            while (room > 0 && !bucket.parked.isEmpty()) {
                Lane lane = bucket.parked.first();
                bucket.parked.remove(lane);
                lane.holder = null;
                if (!parkIfHeld(lane, now)) {
                    makeReady(lane);
                    room -= lane.want;
                }
            }
            // the claim's answer says how much room is left, and wakes the rest; unless it never gets to be claimed
            bucket.wakeAt = now + ANSWER_OVERDUE;
            if (!bucket.parked.isEmpty()) {
                holding.add(bucket);
            }
        }
    }

    private boolean parkIfHeld(Lane lane, long now) {
        WatchedBucket holder = null;
        for (WatchedBucket bucket : lane.buckets) {
            if (!bucket.hasRoomAt(now) && (holder == null || bucket.roomAt > holder.roomAt)) {
                holder = bucket;
            }
        }
        if (holder == null) {
            return false;
        }
        lane.place = Place.PARKED;
        lane.holder = holder;
        holder.parked.add(lane);
        holding.add(holder);
        return true;
    }

    private void moveHead(Lane lane, long head) {
        TreeSet<Lane> waitingWith = lane.holder == null ? lane.group.ready : lane.holder.parked;
        waitingWith.remove(lane);
        lane.head = head;
        waitingWith.add(lane);
    }

    private void makeReady(Lane lane) {
        lane.place = Place.READY;
        FairnessGroup group = lane.group;
        group.ready.add(lane);
        readyLanes++;
        if (!group.inRing) {
            group.inRing = true;
            ring.add(group);
        }
    }

    private Lane takeOldest(FairnessGroup group) {
        Lane lane = group.ready.first();
        group.ready.remove(lane);
        readyLanes--;
        return lane;
    }

    /** Takes the first group out of the ring: it has nothing to propose. */
    private void leaveRing() {
        FairnessGroup group = ring.remove();
        group.inRing = false;
        group.deficit = 0;
        if (group.lanes == 0) {
            forget(group);
        }
    }

    private void remove(Lane lane) {
        lanes.remove(lane.id);
        for (WatchedBucket bucket : lane.buckets) {
            bucket.lanes--;
            if (bucket.lanes == 0) {
                buckets.remove(bucket.id);
            }
        }
        FairnessGroup group = lane.group;
        group.lanes--;
        // in the ring it is forgotten when its turn comes, without a search
        if (group.lanes == 0 && !group.inRing) {
            forget(group);
        }
    }

    private void forget(FairnessGroup group) {
        if (group.key == null) {
            unkeyed = null;
        } else {
            groups.remove(group.key);
        }
    }

    private FairnessGroup group(LaneInfo info) {
        String key = info.fairnessKey();
        FairnessGroup group;
        if (key == null) {
            group = unkeyed == null ? new FairnessGroup(null, info.weight()) : unkeyed;
            unkeyed = group;
        } else {
            group = groups.computeIfAbsent(key, name -> new FairnessGroup(name, info.weight()));
        }
        group.weight = info.weight();
        return group;
    }

    private static Share share(Lane lane, int quota) {
        List<UUID> drawnFrom = lane.buckets.stream().map(bucket -> bucket.id).toList();
        int expected = (int) Math.min(quota, Math.max(1, lane.want - 1));
        return new Share(lane.id, lane.head, expected, quota, drawnFrom);
    }
}
