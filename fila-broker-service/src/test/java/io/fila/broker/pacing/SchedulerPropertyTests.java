package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.fila.broker.Seeds;
import io.fila.broker.pacing.PacedWorld.ModelBucket;
import io.fila.broker.pacing.PacedWorld.ModelLane;
import io.fila.broker.pacing.PacedWorld.Signal;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds of the scheduler whatever happens around it: signals that are late, other nodes that take messages and room behind
 * its back, buckets that somebody holds, claims that fail.
 */
class SchedulerPropertyTests {

    private static final int RUNS = 400;
    private static final int STEPS = 150;

    @Test
    void losesNoLaneAndDrainsEverything() {
        Seeds.each(RUNS, random -> new Run(random).go());
    }

    @Test
    void wakesAsManyLanesAsThereIsRoomForHoweverManyWait() {
        int lanes = 100_000;
        int limit = 100;
        PacedWorld world = new PacedWorld();
        ModelBucket bucket = world.bucket(limit, 1_000_000_000);
        for (int i = 0; i < lanes; i++) {
            world.enqueue(world.lane("group " + i % 1_000, 1, bucket), 1);
        }
        world.round(500);
        world.round(500);
        assertThat(world.scheduler.hasReady()).as("all are parked").isFalse();
        for (int window = 1; window <= 50; window++) {
            world.awaitWake();
            int proposed = world.proposedLanes;
            int delivered = world.delivered;
            while (world.scheduler.hasReady() || world.scheduler.nextWake() <= world.now) {
                world.round(500);
            }
            assertThat(world.delivered - delivered).isEqualTo(limit);
            // each delivering lane, and again to find out that it is empty; with some to spare
            assertThat(world.proposedLanes - proposed).as("lanes proposed").isLessThanOrEqualTo(5 * limit);
        }
    }

    @Test
    void asksForMoreOfALongLaneThoughMessagesKeepComing() {
        PacedWorld world = new PacedWorld();
        ModelLane lane = world.lane(null, 1);
        PacedWorld.Signal found = world.enqueueUnannounced(lane, 100_000);
        world.announce(new Signal(lane, found.first(), 1));
        int rounds = 0;
        while (!lane.waiting.isEmpty()) {
            Proposal proposal = world.propose(10_000, 1);
            world.enqueue(lane, rounds < 1_000 ? 1 : 0);
            world.claim(proposal, Set.of(), Set.of());
            assertThat(rounds++)
                    .as("claims for 100,000 messages, 10,000 at a time")
                    .isLessThan(50);
        }
    }

    private static final class Run {
        private final Random random;
        private final PacedWorld world = new PacedWorld();
        private final List<Signal> late = new ArrayList<>();
        private final List<Proposal> open = new ArrayList<>();

        Run(Random random) {
            this.random = random;
            int buckets = random.nextInt(5);
            for (int i = 0; i < buckets; i++) {
                world.bucket(1 + random.nextInt(12), 1 + random.nextInt(50_000_000));
            }
            int lanes = 1 + random.nextInt(12);
            for (int i = 0; i < lanes; i++) {
                ModelBucket[] drawsFrom = world.buckets.stream()
                        .filter(bucket -> random.nextBoolean())
                        .toArray(ModelBucket[]::new);
                String group = random.nextInt(4) == 0 ? null : "group " + random.nextInt(4);
                world.lane(group, 1 + random.nextInt(5), drawsFrom);
            }
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                step();
                checkNothingForgotten();
            }
            settleDown();
            drain();
            checkNothingKept();
        }

        private void step() {
            world.now += random.nextInt(3) == 0 ? random.nextInt(20_000_000) : random.nextInt(1_000_000);
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> arrive();
                case 3 -> takeElsewhere();
                case 4 -> deliverElsewhere();
                case 5 -> announceLate();
                case 6 -> {
                    // two proposals at once: no lane may be in both
                    open.add(world.propose(random.nextInt(20), 1 + random.nextInt(6)));
                }
                default -> {
                    open.add(world.propose(random.nextInt(40), 1 + random.nextInt(12)));
                    answerOpen();
                }
            }
        }

        private void arrive() {
            ModelLane lane = anyLane();
            Signal signal = random.nextInt(5) == 0
                    ? world.returnUnannounced(lane, -random.nextInt(1_000_000))
                    : world.enqueueUnannounced(lane, 1 + random.nextInt(random.nextInt(10) == 0 ? 300 : 5));
            if (random.nextInt(3) == 0) {
                late.add(signal);
            } else {
                world.announce(signal);
            }
        }

        private void takeElsewhere() {
            ModelLane lane = anyLane();
            int count = random.nextInt(4);
            for (int i = 0; i < count; i++) {
                lane.waiting.pollFirst();
            }
        }

        private void deliverElsewhere() {
            for (ModelBucket bucket : world.buckets) {
                int room = bucket.room(world.now);
                if (room > 0 && random.nextBoolean()) {
                    bucket.deliver(world.now, 1 + random.nextInt(room));
                }
            }
        }

        private void announceLate() {
            if (!late.isEmpty()) {
                world.announce(late.remove(random.nextInt(late.size())));
            }
        }

        private void answerOpen() {
            while (!open.isEmpty()) {
                Proposal proposal = open.remove(random.nextInt(open.size()));
                if (random.nextInt(8) == 0) {
                    world.giveBack(proposal);
                } else {
                    world.claim(proposal, someBuckets(), someBuckets());
                }
            }
        }

        private void checkNothingForgotten() {
            for (ModelLane lane : world.lanes) {
                if (!lane.waiting.isEmpty() && lane.unannounced == 0) {
                    assertThat(world.scheduler.knows(lane.id))
                            .as("a lane with waiting messages is known")
                            .isTrue();
                }
            }
        }

        private void settleDown() {
            answerOpen();
            while (!late.isEmpty()) {
                announceLate();
            }
        }

        private void drain() {
            int rounds = 0;
            while (world.waiting() > 0) {
                world.awaitWake();
                world.round(20);
                assertThat(rounds++).as("rounds it takes to drain").isLessThan(20_000);
            }
        }

        private void checkNothingKept() {
            // lanes whose messages were taken elsewhere are found to be empty
            for (int i = 0; i < 1_000 && !world.scheduler.isEmpty(); i++) {
                world.awaitWake();
                world.round(20);
            }
            assertThat(world.scheduler.isEmpty()).as("nothing is kept").isTrue();
        }

        private ModelLane anyLane() {
            return world.lanes.get(random.nextInt(world.lanes.size()));
        }

        private Set<ModelBucket> someBuckets() {
            Set<ModelBucket> some = new HashSet<>();
            for (ModelBucket bucket : world.buckets) {
                if (random.nextInt(4) == 0) {
                    some.add(bucket);
                }
            }
            return some;
        }
    }
}
