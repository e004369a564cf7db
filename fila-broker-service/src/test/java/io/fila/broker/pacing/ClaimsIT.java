package io.fila.broker.pacing;

import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.message.LaneKey;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.queue.QueueName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a claim leases, statement by statement. */
class ClaimsIT {

    private static final UUID FIRST = new UUID(1, 1);
    private static final UUID SECOND = new UUID(1, 2);

    private final StoredRows rows = new StoredRows();
    private final BucketStore buckets =
            new BucketStore(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS));
    private final Claims claims = new Claims(rows.database, buckets);
    private QueueRules rules;

    @BeforeEach
    void create() {
        rules = new QueueRules(
                rows.queue("orders"),
                new QueueName("orders"),
                0,
                false,
                Duration.ofMinutes(1),
                new LaneKey(List.of()),
                List.of());
        new Timeline(rows.database, Failover.SYNCHRONOUS).beat();
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private void store(UUID lane, int count, int bytes) {
        rows.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload)
                select ?, gen_random_uuid(), ?, 0, 1, convert_to(repeat('x', ?), 'UTF8')
                from generate_series(1, ?)
                """, rules.queueId(), lane, bytes, count);
    }

    private Claimed claim(Share... shares) {
        return claims.claim(
                        rules, new Proposal(List.of(shares), Map.of()), List.of(), Duration.ofSeconds(1), Duration.ZERO)
                .orElseThrow();
    }

    private static Share share(UUID lane, int quota) {
        return new Share(lane, false, 0, quota, quota, List.of());
    }

    @Test
    void leasesNoMoreThanSoManyBytesAndTakesNoLaneForDrainedBecauseOfIt() {
        store(FIRST, 6, 1 << 20);
        store(SECOND, 6, 1 << 20);

        Claimed first = claim(share(FIRST, 7), share(SECOND, 7));
        Claimed second = claim(share(FIRST, 7), share(SECOND, 7));

        assertThat(first.leased()).hasSize(8);
        assertThat(first.answers()).extracting(LaneAnswer::leased).containsExactly(6, 2);
        assertThat(first.answers()).allMatch(answer -> answer.leased() == answer.asked());
        assertThat(second.answers()).extracting(LaneAnswer::leased).containsExactly(0, 4);
        assertThat(second.answers()).extracting(LaneAnswer::asked).containsExactly(7, 7);
    }

    @Test
    void leasesOneMessageHoweverLarge() {
        store(FIRST, 2, 9 << 20);

        Claimed claimed = claim(share(FIRST, 2));

        assertThat(claimed.leased()).hasSize(1);
        assertThat(claimed.answers())
                .containsExactly(
                        new LaneAnswer(FIRST, 1, 1, claimed.answers().get(0).head()));
    }

    /** A claim of one that was proposed before the setting was changed goes by the new one: it is looked at under the fence. */
    @Test
    void waitsForTheDiskUnlessTheQueueHasFastDeliveries() {
        assertThat(durability()).isEqualTo("on");

        rows.execute("update queue set fast_delivery = true");
        assertThat(durability()).isEqualTo("off");

        rows.execute("update queue set fast_delivery = false");
        assertThat(durability()).isEqualTo("on");
    }

    /** What the commit of a claim would do. */
    private String durability() {
        return rows.database.inTransaction("open a claim", connection -> {
            try (Statement statement = connection.createStatement()) {
                // the server of these tests gives it up
                statement.execute("set synchronous_commit = on");
                buckets.open(connection, rules, List.of(), Map.of(), Duration.ZERO, List.of());
                try (ResultSet row = statement.executeQuery("show synchronous_commit")) {
                    row.next();
                    return row.getString(1);
                }
            }
        });
    }
}
