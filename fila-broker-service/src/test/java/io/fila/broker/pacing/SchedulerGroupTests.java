package io.fila.broker.pacing;

import java.util.List;
import java.util.UUID;

import io.fila.broker.message.Weight;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.pacing.Scheduler.BucketInfo;
import io.fila.broker.pacing.Scheduler.LaneInfo;
import io.fila.broker.throttle.Bucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Ordering groups: lanes that have one message to give, their head. */
class SchedulerGroupTests {

    private static final UUID GROUP = new UUID(1, 1);
    private static final Bucket BUCKET = new Bucket(new UUID(2, 1), "t", List.of());

    private final Scheduler scheduler = new Scheduler();

    @Test
    void proposesTheHeadAloneHoweverManyAreKnownToWait() {
        add(7);
        scheduler.signal(GROUP, 8, 1_000);

        assertThat(scheduler.propose(500, 100, 0).shares()).singleElement().satisfies(share -> {
            assertThat(share.isGroup()).isTrue();
            assertThat(share.head()).isEqualTo(7);
            assertThat(share.last()).isEqualTo(7);
            assertThat(share.quota()).isEqualTo(1);
        });
        assertThat(scheduler.hasReady()).isFalse();
    }

    @Test
    void forgetsAGroupUntilItsHeadHasLeft() {
        add(7);
        scheduler.propose(500, 100, 0);

        assertThat(scheduler.answer(new LaneAnswer(GROUP, 1, 1, 8), 0)).isFalse();

        assertThat(scheduler.knows(GROUP)).isFalse();
        scheduler.landed(GROUP);
        assertThat(scheduler.isEmpty()).isTrue();
    }

    @Test
    void asksToLookAgainForAGroupWhoseHeadWasNotThere() {
        add(7);
        scheduler.propose(500, 100, 0);

        assertThat(scheduler.answer(new LaneAnswer(GROUP, 1, 0, 7), 0)).isTrue();

        assertThat(scheduler.knows(GROUP)).isFalse();
        scheduler.landed(GROUP);
        assertThat(scheduler.isEmpty()).isTrue();
    }

    @Test
    void keepsAGroupThatGotNoRoom() {
        add(7, new BucketInfo(BUCKET, 1));
        scheduler.propose(500, 100, 0);
        scheduler.roomFrom(BUCKET.id(), 1_000, null);

        assertThat(scheduler.answer(new LaneAnswer(GROUP, 0, 0, 7), 0)).isFalse();

        assertThat(scheduler.hasReady()).isFalse();
        assertThat(scheduler.nextWake()).isEqualTo(1_000);
        assertThat(scheduler.propose(500, 100, 1_000).shares())
                .extracting(Share::head)
                .containsExactly(7L);
    }

    @Test
    void forgetsAGroupThatWaitsForRoomWhenItsHeadHasGone() {
        add(7, new BucketInfo(BUCKET, 1));
        scheduler.roomFrom(BUCKET.id(), 1_000, null);
        assertThat(scheduler.propose(500, 100, 0).isEmpty()).isTrue();
        assertThat(scheduler.nextWake()).isEqualTo(1_000);
        assertThat(scheduler.hasHeadBefore(GROUP, 7)).isFalse();
        assertThat(scheduler.hasHeadBefore(GROUP, 8)).isTrue();

        scheduler.forget(GROUP);

        assertThat(scheduler.isEmpty()).isTrue();
        assertThat(scheduler.nextWake()).isEqualTo(Long.MAX_VALUE);
        assertThat(scheduler.hasHeadBefore(GROUP, 8)).isFalse();
    }

    @Test
    void forgetsAGroupThatWasWokenForRoomAndGivesItsPortionBack() {
        add(7, new BucketInfo(BUCKET, 1));
        scheduler.add(
                new LaneInfo(new UUID(1, 2), true, null, new Weight(1, 9), List.of(new BucketInfo(BUCKET, 1))), 9, 1);
        scheduler.roomFrom(BUCKET.id(), 1_000, null);
        assertThat(scheduler.propose(500, 100, 0).isEmpty()).isTrue();

        scheduler.forget(GROUP);

        assertThat(scheduler.propose(500, 100, 1_000).shares())
                .extracting(Share::head)
                .containsExactly(9L);
    }

    /** Its head is what it is: messages of the group that become ready, wherever, are behind it. */
    @Test
    void keepsTheHeadThatWasLookedUp() {
        add(7);
        scheduler.signal(GROUP, 3, 1);

        assertThat(scheduler.propose(500, 100, 0).shares())
                .extracting(Share::head)
                .containsExactly(7L);
    }

    private void add(long head, BucketInfo... buckets) {
        scheduler.add(new LaneInfo(GROUP, true, null, new Weight(1, head), List.of(buckets)), head, 1);
    }
}
