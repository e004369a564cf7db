package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Weight;
import io.fila.broker.pacing.Claimed.BucketAnswer;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the database would be to a scheduler, as a model: lanes with waiting messages, buckets with what was delivered when, and
 * claims that are answered as the pacing loop answers them. It checks each proposal and each claim as they pass.
 */
final class PacedWorld {

    static final long BUSY_PAUSE = 2_000_000;

    private static final OffsetDateTime SOME_TIME = OffsetDateTime.parse("2030-01-01T00:00:00Z");

    final Scheduler scheduler = new Scheduler();
    final List<ModelLane> lanes = new ArrayList<>();
    final List<ModelBucket> buckets = new ArrayList<>();
    final Map<String, Integer> deliveredOf = new HashMap<>();

    /** Lanes of proposals that have not been answered. */
    final Set<UUID> claimed = new HashSet<>();

    long now = 1;
    int delivered;
    int proposedLanes;

    private final Map<UUID, ModelLane> lanesById = new HashMap<>();
    private final Map<UUID, ModelBucket> bucketsById = new HashMap<>();
    private long sequence;
    private long names;

    /** Counts as the database does: exactly. */
    static final class ModelBucket {
        final UUID id;
        final int limit;
        final long window;

        /** When and how many, the oldest first. */
        private final ArrayDeque<long[]> deliveries = new ArrayDeque<>();

        private int inWindow;

        /** What the scheduler was told last. */
        long roomFrom = Long.MIN_VALUE;

        ModelBucket(UUID id, int limit, long window) {
            this.id = id;
            this.limit = limit;
            this.window = window;
        }

        int room(long now) {
            while (!deliveries.isEmpty() && deliveries.element()[0] <= now - window) {
                inWindow -= (int) deliveries.remove()[1];
            }
            return limit - inWindow;
        }

        void deliver(long now, int count) {
            deliveries.add(new long[] {now, count});
            inWindow += count;
            assertThat(room(now)).as("room of a bucket after a claim").isNotNegative();
        }

        Room count(long now) {
            int room = room(now);
            OffsetDateTime roomAt =
                    room > 0 ? null : SOME_TIME.plusNanos(deliveries.element()[0] + window);
            return new Room(id, SOME_TIME.plusNanos(now), room, roomAt, true);
        }
    }

    /** A lane and the messages that wait in it. */
    static final class ModelLane {
        final UUID id;
        final @Nullable String group;
        final int weight;
        final List<ModelBucket> drawsFrom;
        final TreeSet<Long> waiting = new TreeSet<>();

        /** Signals of its messages that are still under way. */
        int unannounced;

        ModelLane(UUID id, @Nullable String group, int weight, List<ModelBucket> drawsFrom) {
            this.id = id;
            this.group = group;
            this.weight = weight;
            this.drawsFrom = drawsFrom;
        }
    }

    /** That messages are ready, as somebody says sooner or later. */
    record Signal(ModelLane lane, long first, int count) {}

    ModelBucket bucket(int limit, long window) {
        ModelBucket bucket = new ModelBucket(new UUID(1, names++), limit, window);
        buckets.add(bucket);
        bucketsById.put(bucket.id, bucket);
        return bucket;
    }

    ModelLane lane(@Nullable String group, int weight, ModelBucket... drawsFrom) {
        ModelLane lane = new ModelLane(new UUID(2, names++), group, weight, List.of(drawsFrom));
        lanes.add(lane);
        lanesById.put(lane.id, lane);
        return lane;
    }

    /** Messages arrive, and it is known. */
    void enqueue(ModelLane lane, int count) {
        announce(enqueueUnannounced(lane, count));
    }

    Signal enqueueUnannounced(ModelLane lane, int count) {
        long first = sequence + 1;
        for (int i = 0; i < count; i++) {
            lane.waiting.add(++sequence);
        }
        lane.unannounced++;
        return new Signal(lane, first, count);
    }

    /** A message comes back to its place. */
    Signal returnUnannounced(ModelLane lane, long messageSequence) {
        lane.waiting.add(messageSequence);
        lane.unannounced++;
        return new Signal(lane, messageSequence, 1);
    }

    void announce(Signal signal) {
        ModelLane lane = signal.lane();
        lane.unannounced--;
        if (scheduler.knows(lane.id)) {
            scheduler.signal(lane.id, signal.first(), signal.count());
            return;
        }
        List<Scheduler.BucketInfo> drawnFrom = lane.drawsFrom.stream()
                .map(bucket -> new Scheduler.BucketInfo(new Bucket(bucket.id, "t", List.of()), bucket.limit))
                .toList();
        Weight weight = new Weight(lane.weight, signal.first());
        scheduler.add(
                new Scheduler.LaneInfo(lane.id, false, lane.group, weight, drawnFrom), signal.first(), signal.count());
    }

    /** Proposes, and checks what every proposal must keep. */
    Proposal propose(int credit, int maxLanes) {
        Proposal proposal = scheduler.propose(credit, maxLanes, now);
        assertThat(proposal.shares()).hasSizeLessThanOrEqualTo(maxLanes);
        assertThat(proposal.shares().stream().mapToLong(Share::quota).sum())
                .as("what is proposed together")
                .isLessThanOrEqualTo(credit);
        for (Share share : proposal.shares()) {
            ModelLane lane = lanesById.get(share.lane());
            assertThat(claimed.add(share.lane())).as("proposed once at a time").isTrue();
            assertThat(share.expected()).isBetween(1, share.quota());
            for (ModelBucket bucket : lane.drawsFrom) {
                assertThat(bucket.roomFrom).as("when its bucket has room (I5)").isLessThanOrEqualTo(now);
            }
            if (lane.unannounced == 0 && !lane.waiting.isEmpty()) {
                assertThat(share.head()).as("where to look").isLessThanOrEqualTo(lane.waiting.first());
            }
        }
        proposedLanes += proposal.shares().size();
        return proposal;
    }

    /** A claim that came to nothing. */
    void giveBack(Proposal proposal) {
        for (Share share : proposal.shares()) {
            answer(new LaneAnswer(share.lane(), 0, 0, share.head()));
        }
    }

    /** A claim, somebody else holding {@code busy}; {@code unsettled} are used up without it being known until when. */
    void claim(Proposal proposal, Set<ModelBucket> busy, Set<ModelBucket> unsettled) {
        Map<UUID, Room> rooms = new LinkedHashMap<>();
        Set<UUID> locked = new HashSet<>();
        for (Share share : proposal.shares()) {
            for (Bucket drawn : share.buckets()) {
                UUID id = drawn.id();
                ModelBucket bucket = bucketsById.get(id);
                rooms.put(id, bucket.count(now));
                if (!busy.contains(bucket)) {
                    locked.add(id);
                }
            }
        }
        Allotment allotment = Allotment.of(proposal, locked, rooms);
        Map<UUID, List<Delivery>> leased = new HashMap<>();
        allotment.shares().forEach(share -> leased.put(share.lane(), lease(share)));
        Map<UUID, Integer> charges = allotment.charges(leased);
        charges.forEach((id, count) -> bucketsById.get(id).deliver(now, count));
        allotment.after(charges).forEach((id, answer) -> tell(bucketsById.get(id), answer, unsettled));
        allotment.answers(leased, false).forEach(this::answer);
    }

    /** One round without anything unusual; returns how many were delivered. */
    int round(int credit) {
        int before = delivered;
        claim(propose(credit, 256), Set.of(), Set.of());
        return delivered - before;
    }

    /** Lets time pass until something can be proposed. */
    void awaitWake() {
        if (!scheduler.hasReady()) {
            assertThat(scheduler.nextWake()).as("when to wake").isNotEqualTo(Long.MAX_VALUE);
            now = Math.max(now, scheduler.nextWake());
        }
    }

    int waiting() {
        return lanes.stream().mapToInt(lane -> lane.waiting.size()).sum();
    }

    private List<Delivery> lease(Share share) {
        ModelLane lane = lanesById.get(share.lane());
        List<Delivery> leased = new ArrayList<>();
        List<Long> found =
                lane.waiting.tailSet(share.head()).stream().limit(share.quota()).toList();
        for (Long message : found) {
            lane.waiting.remove(message);
            leased.add(Deliveries.of(message));
        }
        delivered += leased.size();
        deliveredOf.merge(String.valueOf(lane.group), leased.size(), Integer::sum);
        return leased;
    }

    private long opening(Room room) {
        return room.roomAt() == null
                ? now
                : Duration.between(SOME_TIME, room.roomAt()).toNanos();
    }

    private void tell(ModelBucket bucket, BucketAnswer answer, Set<ModelBucket> unsettled) {
        long from;
        if (answer instanceof BucketAnswer.Open) {
            from = now;
        } else if (answer instanceof BucketAnswer.Full full) {
            from = opening(full.room());
        } else if (answer instanceof BucketAnswer.UsedUp && !unsettled.contains(bucket)) {
            from = opening(bucket.count(now));
        } else {
            from = now + BUSY_PAUSE;
        }
        bucket.roomFrom = from;
        scheduler.roomFrom(bucket.id, from, null);
    }

    private void answer(LaneAnswer answer) {
        claimed.remove(answer.lane());
        scheduler.answer(answer, now);
    }
}
