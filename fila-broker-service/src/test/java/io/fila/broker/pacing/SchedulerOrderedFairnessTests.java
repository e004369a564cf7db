package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import io.fila.broker.Seeds;
import io.fila.broker.message.Weight;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.pacing.Scheduler.BucketInfo;
import io.fila.broker.pacing.Scheduler.LaneInfo;
import io.fila.broker.throttle.Bucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Each fairness group's share on an ordered queue: its ordering groups come and go with every message. */
class SchedulerOrderedFairnessTests {

    private static final int RUNS = 300;
    private static final int ROUNDS = 400;

    /** A turn is one weight's worth, and two groups may both be in the middle of theirs. */
    private static final double TURNS = 2;

    private static final Bucket BUCKET = new Bucket(new UUID(3, 1), "t", List.of());

    /** It took turns with the other, whatever its weight: each came back level with it. */
    @Test
    void sharesByWeightThoughAGroupIsInFlightWheneverItIsServed() {
        World world = new World();
        world.group("light", 1, 1);
        world.group("heavy", 3, 1);

        for (int i = 0; i < 4_000; i++) {
            world.deliver(1);
            world.ackAll();
        }

        assertThat(world.share("heavy")).isCloseTo(0.75, within(0.001));
    }

    /** It was next for ever: the others had had one message more than it each time it came back. */
    @Test
    void letsAGroupWithOneOrderingGroupStarveNoOther() {
        World world = new World();
        world.group("many", 1, 2);
        world.group("one", 1, 1);

        for (int i = 0; i < 1_000; i++) {
            world.deliver(1);
            world.ackAll();
        }

        assertThat(world.share("many")).isCloseTo(0.5, within(0.001));
    }

    @Test
    void sharesTheRoomOfABucketByWeight() {
        World world = new World(new BucketInfo(BUCKET, 1));
        world.group("light", 1, 1);
        world.group("heavy", 3, 1);
        world.close(BUCKET);

        for (int i = 0; i < 4_000; i++) {
            world.deliver(10);
            world.ackAll();
        }

        assertThat(world.share("heavy")).isCloseTo(0.75, within(0.001));
    }

    @Test
    void keepsEveryGroupAtItsShareAtAnyTimeWhileNoneRunsOut() {
        Seeds.each(RUNS, random -> {
            World world = new World();
            int credit = 1 + random.nextInt(20);
            int groups = 2 + random.nextInt(5);
            for (int i = 0; i < groups; i++) {
                world.group("group " + i, 1 + random.nextInt(10), credit + random.nextInt(3));
            }
            for (int round = 0; round < ROUNDS; round++) {
                world.deliver(random.nextInt(credit - world.inFlight.size() + 1));
                world.ackSome(random);
                assertThat(world.most() - world.least())
                        .as("turns that one group is ahead of another: %s", world.delivered)
                        .isLessThanOrEqualTo(TURNS);
            }
        });
    }

    /** The few ordering groups of some may all be in flight, which is at no cost to a group that has enough. */
    @Test
    void keepsAGroupAtItsShareThatDoesNotRunOutWhateverTheOthersDo() {
        Seeds.each(RUNS, random -> {
            World world = new World();
            int credit = 1 + random.nextInt(40);
            world.group("enough", 1 + random.nextInt(10), credit);
            int groups = 1 + random.nextInt(5);
            for (int i = 0; i < groups; i++) {
                world.group("group " + i, 1 + random.nextInt(10), 1 + random.nextInt(credit));
            }
            for (int round = 0; round < ROUNDS; round++) {
                if (random.nextInt(20) == 0) {
                    world.toggle("group " + random.nextInt(groups));
                }
                world.deliver(random.nextInt(credit - world.inFlight.size() + 1));
                world.ackSome(random);
                assertThat(world.most() - world.turnsOf("enough"))
                        .as("turns that another group is ahead: %s", world.delivered)
                        .isLessThanOrEqualTo(TURNS);
            }
        });
    }

    /** All of its ordering groups are in flight every third time, when there is a lot to give; it is made up for when there is little. */
    @Test
    void owesAGroupWhatItCouldNotTakeWhileAllOfItWasInFlight() {
        World world = new World();
        world.group("light", 1, 50);
        world.group("heavy", 3, 50);

        for (int i = 0; i < 3_000; i++) {
            world.deliver(i % 3 == 2 ? 80 : 20);
            world.ackAll();
        }

        assertThat(world.share("heavy")).isCloseTo(0.75, within(0.005));
    }

    /** It is served no faster than its ordering groups allow, and what that costs it does not add up. */
    @Test
    void owesNoMoreThanAGroupCouldHaveInFlight() {
        World world = new World();
        world.group("wide", 1, 100);
        world.group("narrow", 1, 3);
        for (int i = 0; i < 1_000; i++) {
            world.deliver(10);
            world.ackAll();
        }
        assertThat(world.share("narrow")).isCloseTo(0.3, within(0.001));
        for (int i = 0; i < 100; i++) {
            world.orderingGroup("narrow");
        }
        world.delivered.clear();

        world.deliver(10);
        world.ackAll();

        assertThat(world.delivered.get("narrow"))
                .as("of ten, its half and what it is owed")
                .isBetween(5, 5 + 3);
    }

    @Test
    void owesNobodyForATimeWithoutMessages() {
        World world = new World();
        world.group("busy", 1, 10);
        world.group("idle", 1, 10);
        world.toggle("idle");
        for (int i = 0; i < 1_000; i++) {
            world.deliver(4);
            world.ackAll();
        }
        world.toggle("idle");
        world.delivered.clear();

        world.deliver(8);

        // what was claimed together before it came is behind the others
        assertThat(world.delivered.get("idle")).isLessThanOrEqualTo(4 + 2);
    }

    @Test
    void keepsNothingWhenAllHasLeft() {
        World world = new World(new BucketInfo(BUCKET, 1));
        for (int i = 0; i < 20_000; i++) {
            world.group("once " + i, 1, 1);
            world.toggle("once " + i);
        }
        while (world.delivered.size() < 20_000) {
            world.deliver(10);
        }
        assertThat(world.scheduler.isEmpty()).isFalse();

        world.ackAll();

        assertThat(world.scheduler.isEmpty()).isTrue();
    }

    /** Ordering groups without end, on one node, as the pacing loop sees them: looked up when their head is acknowledged. */
    private static final class World {

        final Scheduler scheduler = new Scheduler();
        final Map<String, Integer> delivered = new HashMap<>();
        final List<UUID> inFlight = new ArrayList<>();

        private final Map<String, Integer> weights = new LinkedHashMap<>();
        private final Map<UUID, String> groupOf = new LinkedHashMap<>();

        /** Fairness groups of which nothing more comes. */
        private final List<String> quiet = new ArrayList<>();

        /** Ordering groups of those, which have nothing. */
        private final List<UUID> resting = new ArrayList<>();

        private final List<BucketInfo> buckets;
        private long sequence;
        private long now;

        World(BucketInfo... buckets) {
            this.buckets = List.of(buckets);
        }

        void group(String name, int weight, int orderingGroups) {
            weights.put(name, weight);
            for (int i = 0; i < orderingGroups; i++) {
                orderingGroup(name);
            }
        }

        void orderingGroup(String name) {
            UUID lane = new UUID(1, groupOf.size());
            groupOf.put(lane, name);
            arrive(lane);
        }

        /** Nothing more comes of the group for now, or it does again. */
        void toggle(String name) {
            if (!quiet.remove(name)) {
                quiet.add(name);
                return;
            }
            for (UUID lane : List.copyOf(resting)) {
                if (groupOf.get(lane).equals(name)) {
                    resting.remove(lane);
                    arrive(lane);
                }
            }
        }

        void close(Bucket bucket) {
            scheduler.roomFrom(bucket.id(), now + 1, null);
        }

        /** A claim of so many. If all draw from a bucket, it has room for one at a time. */
        void deliver(int credit) {
            now++;
            Proposal proposal = scheduler.propose(credit, 10_000, now);
            if (!buckets.isEmpty()) {
                close(BUCKET);
            }
            for (Share share : proposal.shares()) {
                if (share != proposal.shares().get(0) && !buckets.isEmpty()) {
                    scheduler.answer(new LaneAnswer(share.lane(), 0, 0, share.head()), now);
                    continue;
                }
                delivered.merge(groupOf.get(share.lane()), 1, Integer::sum);
                inFlight.add(share.lane());
                assertThat(scheduler.answer(new LaneAnswer(share.lane(), 1, 1, share.head() + 1), now))
                        .isFalse();
            }
        }

        void ackAll() {
            inFlight.forEach(this::lookUp);
            inFlight.clear();
        }

        void ackSome(Random random) {
            Collections.shuffle(inFlight, random);
            List<UUID> some = inFlight.subList(0, random.nextInt(inFlight.size() + 1));
            some.forEach(this::lookUp);
            some.clear();
        }

        private void lookUp(UUID lane) {
            if (quiet.contains(groupOf.get(lane))) {
                scheduler.landed(lane);
                resting.add(lane);
            } else {
                arrive(lane);
            }
        }

        private void arrive(UUID lane) {
            String group = groupOf.get(lane);
            Weight weight = new Weight(weights.get(group), ++sequence);
            scheduler.add(new LaneInfo(lane, true, group, weight, buckets), sequence, 1);
        }

        double share(String group) {
            return (double) delivered.get(group)
                    / delivered.values().stream().mapToInt(Integer::intValue).sum();
        }

        double turnsOf(String group) {
            return (double) delivered.getOrDefault(group, 0) / weights.get(group);
        }

        double most() {
            return weights.keySet().stream().mapToDouble(this::turnsOf).max().orElseThrow();
        }

        double least() {
            return weights.keySet().stream().mapToDouble(this::turnsOf).min().orElseThrow();
        }
    }
}
