package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.throttle.Bucket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BucketSweeperIT {

    private static final List<String> BY_CUSTOMER = List.of("header:customer");
    private static final Duration LONG_AGO = Duration.ofMinutes(2);
    private static final Duration JUST_NOW = Duration.ofSeconds(5);

    private final StoredRows rows = new StoredRows();
    private final BucketSweeper sweeper =
            new BucketSweeper(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS), Duration.ZERO);

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void evictsBucketsWithoutDeliveriesInTheLongestWindow() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1s", "99/1m");
        rows.deliver(bucket("idle"), 3, LONG_AGO);
        Bucket active = bucket("active");
        rows.deliver(active, 3, JUST_NOW);
        bucket("never used");

        sweeper.sweep();

        assertThat(count("bucket")).isEqualTo(1);
        assertThat(count("delivery")).isEqualTo(1);
        assertThat(rows.queryLong("select count(*) from bucket where id = ?", active.id()))
                .isEqualTo(1);
    }

    @Test
    void prunesOnlyWhatIsOlderThanTheRetention() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1s");
        rows.execute("update throttle set retention_ms = 60000");
        Bucket bucket = bucket("acme");
        rows.deliver(bucket, 1, LONG_AGO);
        rows.deliver(bucket, 2, Duration.ofSeconds(61));
        rows.deliver(bucket, 3, Duration.ofSeconds(50));
        rows.deliver(bucket, 4, JUST_NOW);

        sweeper.sweep();

        assertThat(rows.queryLong("select sum(count) from delivery")).isEqualTo(7);
        assertThat(rows.queryLong("select cum from bucket")).isEqualTo(10);
    }

    @Test
    void keepsWhatALimitThatIsDeclaredNowWouldCount() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1s");
        rows.deliver(bucket("acme"), 3, LONG_AGO);
        rows.database.inTransactionWithoutResult("declare", subscriber -> {
            try (var statement = subscriber.createStatement()) {
                statement.execute("select 1 from throttle where name = 'stripe' for update");
                statement.execute("update throttle set retention_ms = 3600000");
            }

            sweeper.sweep();
        });

        sweeper.sweep();

        assertThat(count("delivery")).isEqualTo(1);
    }

    @Test
    void keepsAClosedBucketUntilItOpens() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        Bucket bucket = bucket("acme");
        rows.close(bucket, Duration.ofMinutes(1));

        sweeper.sweep();
        assertThat(count("bucket")).isEqualTo(1);

        rows.close(bucket, Duration.ofMinutes(-1));
        sweeper.sweep();
        assertThat(count("bucket")).isZero();
    }

    @Test
    void keepsABucketThatWasJustMade() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        bucket("acme");

        new BucketSweeper(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS), Duration.ofMinutes(1))
                .sweep();

        assertThat(count("bucket")).isEqualTo(1);
    }

    @Test
    void passesByWhatAClaimHasLocked() {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        Bucket locked = bucket("locked");
        rows.deliver(locked, 1, LONG_AGO);
        rows.deliver(bucket("other"), 1, LONG_AGO);
        rows.database.inTransactionWithoutResult("claim", claim -> {
            try (PreparedStatement statement = claim.prepareStatement("select 1 from bucket where id = ? for update")) {
                statement.setObject(1, locked.id());
                statement.execute();
            }

            sweeper.sweep();

            assertThat(rows.queryLong("select count(*) from bucket where id = ?", locked.id()))
                    .isEqualTo(1);
            assertThat(count("bucket")).isEqualTo(1);
            assertThat(count("delivery")).isEqualTo(1);
        });

        sweeper.sweep();

        assertThat(count("bucket")).isZero();
    }

    @Test
    void walksThroughMoreThanOnePage() {
        rows.throttle("stripe", List.of(), false, "9/1m");
        rows.execute("""
                with made as (
                    insert into bucket (id, throttle, cum)
                    select gen_random_uuid(), 'stripe', 3
                    from generate_series(1, 2500)
                    returning id
                )
                insert into delivery (bucket_id, until, count, cum)
                select id, clock_timestamp() - n * interval '1 hour', 1, 4 - n
                from made
                cross join generate_series(1, 3) as n
                """);

        sweeper.sweep();

        assertThat(count("bucket")).isZero();
        assertThat(count("delivery")).isZero();
    }

    @Test
    void deletesThrottlesThatStayUnusedForARound() {
        long queue = rows.queue("orders");
        rows.throttle("declared", List.of(), false, "9/1m");
        rows.declare(queue, "declared", "9/1m");
        rows.throttle("remembered", List.of(), false, "9/1m");
        rows.deliver(rows.bucket("remembered", List.of(), List.of()), 1, JUST_NOW);
        rows.throttle("unused", List.of(), false, "9/1m");

        sweeper.sweep();
        assertThat(count("throttle")).isEqualTo(3);

        sweeper.sweep();
        assertThat(count("throttle")).isEqualTo(2);
        assertThat(rows.queryLong("select count(*) from throttle where name = 'unused'"))
                .isZero();
    }

    /** Its buckets were forgotten in a crash: a new throttle of the name would take its history for complete. */
    @Test
    void keepsAThrottleWhoseHistoryIsIncompleteForItsLongestWindow() {
        rows.throttle("stripe", List.of(), false, "9/1m");
        rows.execute("update throttle set complete_from = clock_timestamp() - interval '50 s'");

        sweeper.sweep();
        sweeper.sweep();
        assertThat(count("throttle where complete_from is not null")).isEqualTo(1);

        rows.execute("update throttle set complete_from = clock_timestamp() - interval '61 s'");
        sweeper.sweep();
        assertThat(count("throttle where complete_from is null")).isEqualTo(1);
        sweeper.sweep();
        assertThat(count("throttle")).isZero();
    }

    @Test
    void sweepsByItselfUntilItIsClosed() throws InterruptedException {
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        rows.deliver(bucket("idle"), 3, LONG_AGO);

        sweeper.start();

        Awaitility.await().until(() -> count("bucket") == 0);
        sweeper.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().equals("fila-sweeper"));
    }

    @Test
    void readsOnlyWhatItForgets() {
        rows.throttle("stripe", List.of(), false, "9/1m");
        rows.execute("""
                with made as (
                    insert into bucket (id, throttle)
                    select gen_random_uuid(), 'stripe'
                    from generate_series(1, 5000)
                    returning id
                )
                insert into delivery (bucket_id, until, count, cum)
                select id, clock_timestamp(), 1, 1
                from made
                """);
        rows.execute("analyze");
        UUID[] buckets = {UUID.randomUUID(), UUID.randomUUID()};

        String prune = explain("prune_deliveries", buckets, 1_000);
        String evict = explain("evict_buckets", buckets, 1_000);

        assertThat(prune)
                .contains("Tid Scan on delivery", "delivery_pkey", "Index Cond: ((bucket_id = o.id) AND (until <=")
                .doesNotContain("Seq Scan on delivery", "Hash Join", "Seq Scan on bucket");
        assertThat(evict).contains("bucket_pkey", "delivery_pkey").doesNotContain("Seq Scan", "Hash");
    }

    private Bucket bucket(String customer) {
        return rows.bucket("stripe", BY_CUSTOMER, List.of(customer));
    }

    private long count(String table) {
        return rows.queryLong("select count(*) from " + table);
    }

    private String explain(String file, UUID[] buckets, long parameter) {
        return rows.database.run("explain", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("explain " + Sql.load(SweepStore.class, file))) {
                statement.setArray(1, connection.createArrayOf("uuid", buckets));
                statement.setLong(2, parameter);
                StringBuilder plan = new StringBuilder();
                try (ResultSet line = statement.executeQuery()) {
                    while (line.next()) {
                        plan.append(line.getString(1)).append('\n');
                    }
                }
                return plan.toString();
            }
        });
    }
}
