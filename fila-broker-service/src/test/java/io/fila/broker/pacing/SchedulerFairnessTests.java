package io.fila.broker.pacing;

import java.time.Duration;
import java.util.Map;

import io.fila.broker.message.Weight;
import io.fila.broker.pacing.PacedWorld.ModelBucket;
import io.fila.broker.pacing.PacedWorld.ModelLane;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Each group's share of deliveries while all of them have messages waiting, whatever it is that they wait for. */
class SchedulerFairnessTests {

    private static final int DELIVERIES = 50_000;
    private static final int BACKLOG = 1_000;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final PacedWorld world = new PacedWorld();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 500})
    void sharesByWeightWhateverTheCredit(int credit) {
        world.lane("light", 1);
        world.lane("heavy", 3);

        deliver(credit);

        assertShares(Map.of("light", 0.25, "heavy", 0.75));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 500})
    void keepsQuietGroupMovingBesideNoisyOne(int credit) {
        for (int i = 0; i < 100; i++) {
            world.lane("noisy", 1);
        }
        world.lane("quiet", 1);

        deliver(credit);

        assertShares(Map.of("noisy", 0.5, "quiet", 0.5));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 2_000})
    void sharesABucketByWeight(int limit) {
        ModelBucket shared = world.bucket(limit, SECOND);
        world.lane("light", 1, shared);
        world.lane("heavy", 3, shared);

        deliver(500);

        assertShares(Map.of("light", 0.25, "heavy", 0.75));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 2_000})
    void keepsQuietGroupMovingBesideNoisyOneThatDrawsFromTheSameBucket(int limit) {
        ModelBucket shared = world.bucket(limit, SECOND);
        for (int i = 0; i < 100; i++) {
            world.lane("noisy", 1, shared);
        }
        world.lane("quiet", 1, shared);

        deliver(500);

        assertShares(Map.of("noisy", 0.5, "quiet", 0.5));
    }

    @Test
    void sharesABucketWhoseRoomComesBackOneByOne() {
        ModelBucket shared = world.bucket(100, SECOND);
        for (int i = 0; i < 100; i++) {
            shared.deliver(world.now, 1);
            world.now += SECOND / 100;
        }
        world.lane("light", 1, shared);
        world.lane("heavy", 3, shared);

        deliver(500);

        assertShares(Map.of("light", 0.25, "heavy", 0.75));
    }

    @Test
    void owesNobodyForTheTimeBeforeItsMessagesCame() {
        ModelBucket shared = world.bucket(10, SECOND);
        ModelLane early = world.lane("early", 1, shared);
        world.enqueue(early, DELIVERIES);
        deliverUntil(DELIVERIES / 2, 500);
        world.lane("late", 1, shared);
        world.deliveredOf.clear();

        deliver(500);

        assertShares(Map.of("early", 0.5, "late", 0.5));
    }

    @Test
    void letsAGroupHaveWhatTheOthersDoNotNeed() {
        ModelBucket shared = world.bucket(10, SECOND);
        ModelBucket narrow = world.bucket(1, SECOND);
        world.lane("narrow", 9, shared, narrow);
        world.lane("wide", 1, shared);

        deliver(500);

        assertShares(Map.of("narrow", 0.1, "wide", 0.9));
    }

    /** It came back level with the other each time, and was next for ever. */
    @Test
    void letsAGroupThatHasOneMessageAtATimeStarveNoOther() {
        ModelLane noisy = world.lane("noisy", 1);
        ModelLane quiet = world.lane("quiet", 2);
        world.enqueue(noisy, BACKLOG);

        for (int i = 0; i < BACKLOG; i++) {
            if (quiet.waiting.isEmpty()) {
                world.enqueue(quiet, 1);
            }
            world.round(2);
        }

        assertThat((double) world.deliveredOf.get("noisy") / world.delivered).isGreaterThan(0.33);
    }

    /** A lane that was found again, with an old message, brought its group's old weight back. */
    @Test
    void goesByTheWeightOfTheLatestMessageInWhateverOrderItLearnsOfThem() {
        ModelLane changing = world.lane("changing", 1);
        world.lane("fixed", 1);
        deliverUntil(1_000, 500);
        long latest = 1_000_000_000;

        world.scheduler.weigh(changing.id, new Weight(3, latest));
        world.scheduler.weigh(changing.id, new Weight(7, latest - 1));
        world.lane("changing", 9);
        world.deliveredOf.clear();
        deliver(500);

        assertShares(Map.of("changing", 0.75, "fixed", 0.25));
    }

    private void deliver(int credit) {
        deliverUntil(world.delivered + DELIVERIES, credit);
    }

    private void deliverUntil(int deliveries, int credit) {
        int idle = 0;
        while (world.delivered < deliveries) {
            for (ModelLane lane : world.lanes) {
                if (lane.waiting.size() < BACKLOG) {
                    world.enqueue(lane, BACKLOG);
                }
            }
            world.awaitWake();
            idle = world.round(credit) == 0 ? idle + 1 : 0;
            assertThat(idle).as("rounds without a delivery").isLessThan(1_000);
        }
    }

    private void assertShares(Map<String, Double> expected) {
        double all =
                world.deliveredOf.values().stream().mapToInt(Integer::intValue).sum();
        expected.forEach((group, share) -> assertThat(world.deliveredOf.getOrDefault(group, 0) / all)
                .as("share of %s in %s", group, world.deliveredOf)
                .isCloseTo(share, within(0.01)));
    }
}
