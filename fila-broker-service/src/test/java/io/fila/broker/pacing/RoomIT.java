package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import io.fila.broker.Seeds;
import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.message.LaneKey;
import io.fila.broker.pacing.BucketStore.Refund;
import io.fila.broker.pacing.BucketStore.Settlement;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.Bucket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How the room of a bucket is counted, used, settled and given back, statement by statement. */
class RoomIT {

    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration AHEAD = Duration.ofSeconds(30);

    private final StoredRows rows = new StoredRows();
    private final BucketStore store = new BucketStore(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS));
    private QueueRules rules;
    private UUID bucket;

    @BeforeEach
    void create() {
        long queue = rows.queue("orders");
        rules = new QueueRules(
                queue, new QueueName("orders"), 0, false, Duration.ofMinutes(1), new LaneKey(List.of()), List.of());
        rows.throttle("t", List.of(), false, "4/10m", "6/60m");
        rows.declare(queue, "t", "4/10m", "6/60m");
        Bucket stored = rows.bucket("t", List.of(), List.of());
        bucket = stored.id();
        // the first exchange only notes which server this is
        new Timeline(rows.database, Failover.SYNCHRONOUS).beat();
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private Room count(Map<UUID, OffsetDateTime> openings) {
        return rows.database.inTransaction("count", connection -> open(connection, openings, List.of()));
    }

    private Room open(Connection connection, Map<UUID, OffsetDateTime> openings, List<Settlement> settlements)
            throws SQLException {
        return store.open(connection, rules, List.of(bucket), openings, AHEAD, settlements)
                .rooms()
                .get(bucket);
    }

    private Grant grant(int count) {
        return rows.database.inTransaction("claim", connection -> {
            Room room = open(connection, Map.of(), List.of());
            assertThat(room.room()).isGreaterThanOrEqualTo(count);
            return store.charge(connection, Map.of(bucket, count), Map.of(bucket, room), BOUND)
                    .get(0);
        });
    }

    private static Settlement settlement(Grant grant, OffsetDateTime sentBy) {
        return new Settlement(grant, sentBy, System.nanoTime());
    }

    private Map<Long, OffsetDateTime> settle(Grant grant, OffsetDateTime sentBy) {
        return store.settleNow(List.of(settlement(grant, sentBy)), List.of()).bounds();
    }

    @Test
    void saysWhenThereIsRoomAgainAndThatItIsNotFinalBeforeTheRecordIsSettled() {
        Grant grant = grant(4);
        Room unsettled = count(Map.of());

        assertThat(unsettled.room()).isZero();
        assertThat(unsettled.roomAt()).isEqualTo(grant.g().plus(BOUND).plus(WINDOW));
        assertThat(unsettled.isFinal()).isFalse();

        OffsetDateTime sentBy = grant.g().plusNanos(3_000_000);
        assertThat(settle(grant, sentBy)).containsEntry(grant.record(), sentBy);

        Room settled = count(Map.of());
        assertThat(settled.roomAt()).isEqualTo(sentBy.plus(WINDOW));
        assertThat(settled.isFinal()).isTrue();
    }

    /** As after a crash, of the throttle, or a failover, of all. The longest window is that of the second limit. */
    @Test
    void hasNoRoomWhileAWindowReachesBackToWhereRecordsMayBeMissing() {
        rows.execute("update clock set complete_from = clock_timestamp() - interval '61 minutes'");
        assertThat(count(Map.of()).room()).isEqualTo(4);

        rows.execute("update throttle set complete_from = clock_timestamp() - interval '59 minutes'");
        Room closed = count(Map.of());
        assertThat(closed.room()).isZero();
        assertThat(closed.roomAt()).isBetween(closed.g(), closed.g().plusMinutes(1));
        assertThat(closed.isFinal()).isTrue();
        assertThat(count(Map.of(bucket, closed.g().plusMinutes(2))).room()).isZero();

        rows.execute("update throttle set complete_from = clock_timestamp() - interval '61 minutes'");
        assertThat(count(Map.of()).room()).isEqualTo(4);
    }

    @Test
    void grantsAheadForTheMomentAtWhichThereIsRoomAndNoFurther() {
        Grant first = grant(4);
        // as if it had been sent so long ago that room is near
        OffsetDateTime sentBy = first.g().minus(WINDOW).plusSeconds(20);
        settle(first, sentBy);
        OffsetDateTime opens = sentBy.plus(WINDOW);

        assertThat(count(Map.of()).room()).isZero();
        // the long limit leaves two
        assertThat(count(Map.of(bucket, opens)).room()).isEqualTo(2);
        assertThat(count(Map.of(bucket, opens)).g()).isEqualTo(opens);
        assertThat(count(Map.of(bucket, opens.minusNanos(1_000))).room()).isZero();
        assertThat(count(Map.of(bucket, opens.plusSeconds(60))).g()).isBefore(opens.plusSeconds(20));
    }

    @Test
    void neverGrantsForAMomentBeforeAnEarlierGrant() {
        Grant first = grant(3);
        settle(first, first.g());
        OffsetDateTime ahead = first.g().plusSeconds(20);
        Grant second = rows.database.inTransaction("claim ahead", connection -> {
            Room room = open(connection, Map.of(bucket, ahead), List.of());
            return store.charge(connection, Map.of(bucket, 1), Map.of(bucket, room), BOUND)
                    .get(0);
        });

        assertThat(second.g()).isEqualTo(ahead);
        assertThat(count(Map.of()).g()).isAfterOrEqualTo(ahead);
    }

    /** It was settled to the bound of the record before it, and kept that when that one was settled later. */
    @Test
    void settlesARecordFullyOnceTheOneBeforeItIsSettled() {
        Grant first = grant(1);
        Grant second = grant(3);

        Map<Long, OffsetDateTime> clamped = settle(second, second.g());
        assertThat(clamped).containsEntry(second.record(), first.until());

        settle(first, first.g());
        Settlement again = settlement(second, second.g()).boundBy(first.until());
        assertThat(store.settleNow(List.of(again), List.of()).bounds()).containsEntry(second.record(), second.g());
        assertThat(count(Map.of()).roomAt()).isEqualTo(first.g().plus(WINDOW));
    }

    @Test
    void pushesTheRecordOfAMessageThatWasHandedOverAfterItsBound() {
        Grant first = grant(2);
        Grant second = grant(2);
        OffsetDateTime late = second.until().plusSeconds(20);

        settle(first, late);

        // both: the second must not come before the first
        Room room = count(Map.of());
        assertThat(room.room()).isZero();
        assertThat(room.roomAt()).isEqualTo(late.plus(WINDOW));
    }

    @Test
    void settlesSeveralRecordsOfABucketTogetherToWhatIsKnownOfEach() {
        Grant first = grant(1);
        Grant second = grant(3);

        Map<Long, OffsetDateTime> bounds = store.settleNow(
                        List.of(settlement(second, second.g().plusNanos(2_000)), settlement(first, first.g())),
                        List.of())
                .bounds();

        assertThat(bounds)
                .containsEntry(first.record(), first.g())
                .containsEntry(second.record(), second.g().plusNanos(2_000));
    }

    /** The second was settled to what is known of it, and came before the first, whose message was counted as earlier than it was. */
    @Test
    void keepsRecordsSortedWhereOneOfSeveralWasHandedOverAfterItsBound() {
        Grant first = grant(1);
        Grant second = grant(1);
        Grant third = grant(1);
        Grant fourth = grant(1);
        OffsetDateTime late = fourth.until().plusSeconds(20);
        OffsetDateTime later = late.plusSeconds(1);

        Map<Long, OffsetDateTime> bounds = store.settleNow(
                        List.of(settlement(first, late), settlement(second, later), settlement(fourth, fourth.g())),
                        List.of())
                .bounds();

        assertThat(bounds)
                .containsEntry(first.record(), late)
                .containsEntry(second.record(), later)
                .containsEntry(fourth.record(), later);
        assertThat(bounds).doesNotContainKey(third.record());
        assertThat(count(Map.of()).roomAt()).isEqualTo(late.plus(WINDOW));
        Map<Long, OffsetDateTime> settled = settle(third, third.g());
        assertThat(settled).isIn(Map.of(), Map.of(third.record(), later));
    }

    @Test
    void leavesARecordWhoseBucketIsLockedForAnotherTime() throws SQLException {
        Grant grant = grant(4);
        rows.database.inTransactionWithoutResult("hold the bucket", connection -> {
            open(connection, Map.of(), List.of());
            assertThat(settle(grant, grant.g())).isEmpty();
        });

        assertThat(settle(grant, grant.g())).containsEntry(grant.record(), grant.g());
    }

    @Test
    void givesBackTokensOfWhatWasNotSent() {
        grant(2);
        Grant unsent = grant(2);
        assertThat(count(Map.of()).room()).isZero();

        store.settleNow(List.of(settlement(unsent, unsent.g())), List.of(new Refund(unsent, 2)));

        assertThat(count(Map.of()).room()).isEqualTo(2);
    }

    @Test
    void countsAsManyAsALimitAllowsWhateverIsGrantedSettledAndGivenBack() {
        Seeds.each(1, this::countsAsManyAsALimitAllows);
    }

    private void countsAsManyAsALimitAllows(Random random) {
        List<Grant> grants = new ArrayList<>();
        List<Settlement> open = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Room room = count(Map.of());
            int used = grants.stream().mapToInt(Grant::count).sum();
            assertThat(room.room()).as("step %d", i).isEqualTo(Math.max(0, Math.min(4, 6) - used));
            if (room.room() > 0 && random.nextBoolean()) {
                Grant grant = grant(1 + random.nextInt(room.room()));
                grants.add(grant);
                open.add(settlement(grant, grant.g().plusNanos(1_000L * random.nextInt(2_000))));
            } else if (!grants.isEmpty() && random.nextInt(3) == 0) {
                Grant last = grants.remove(grants.size() - 1);
                open.removeIf(one -> one.grant().record() == last.record());
                store.settleNow(List.of(settlement(last, last.g())), List.of(new Refund(last, last.count())));
            } else if (!open.isEmpty()) {
                store.settleNow(List.of(open.remove(random.nextInt(open.size()))), List.of());
            }
        }
    }
}
