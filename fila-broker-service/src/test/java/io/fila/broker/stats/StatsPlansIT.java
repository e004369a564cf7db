package io.fila.broker.stats;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import io.fila.broker.Seeds;
import io.fila.broker.StoredRows;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.MessageState;
import io.fila.broker.pacing.Pacing;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How statistics read: by index and never through a table, and counting as claims do. */
class StatsPlansIT {

    private static final List<String> BY_CUSTOMER = List.of("header:customer");

    private final StoredRows rows = new StoredRows();
    private final Snapshots snapshots = new Snapshots(rows.database);
    private long queue;

    @BeforeEach
    void store() {
        queue = rows.queue("orders");
        rows.throttle("stripe", BY_CUSTOMER, false, "3/1s", "5/1m");
        rows.declare(queue, "stripe", "3/1s", "5/1m");
        rows.message(queue, MessageState.READY, Map.of("customer", "acme"));
    }

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void neverScansATable() {
        UUID[] ids = {UUID.randomUUID()};

        assertByIndex(explain("count_messages", "orders"), "message_set_aside", "message_leased", "message_pkey");
        assertByIndex(explain("count_lanes", queue), "Index Only Scan using message_ready");
        assertByIndex(explain("describe_messages", queue, new Long[] {1L, 2L}), "message_pkey");
        assertByIndex(explain("find_throttles", queue), "declaration_of_queue");
        assertByIndex(explain("find_known_throttles", "stripe"), "delivery_pkey", "bucket_of_throttle");
        assertByIndex(explain("count_buckets", "stripe"), "delivery_pkey", "bucket_of_throttle");
        assertByIndex(explain("find_active_buckets", null, "stripe", ids, 10), "delivery_pkey", "bucket_of_throttle");
        assertByIndex(explain("describe_buckets", null, ids), "delivery_pkey", "bucket_pkey");
    }

    @Test
    void countsRoomAsClaimsDo() {
        Seeds.each(1, this::countsRoomAsClaimsDo);
    }

    private void countsRoomAsClaimsDo(Random random) {
        BucketReader reader = new BucketReader(snapshots);
        for (int i = 0; i < 60; i++) {
            Bucket bucket = rows.bucket("stripe", BY_CUSTOMER, List.of("c" + i));
            deliverAtRandom(bucket, random);
            if (i == 50) {
                rows.execute("update throttle set complete_from = clock_timestamp() - interval '10 s'");
            }
            String about = "bucket " + i;
            rows.database.inTransactionWithoutResult("compare", connection -> {
                ClaimRoom claim = countRoom(connection, bucket.id());
                BucketStats stats = reader.describe(connection, List.of(bucket.id()), claim.at())
                        .get(bucket.id());
                long left = stats.used().stream()
                        .mapToLong(used -> used.limit().count() - used.count())
                        .min()
                        .orElseThrow();

                assertThat(stats.closedUntil() != null ? 0 : Math.max(0, left))
                        .as(about)
                        .isEqualTo(claim.room());
                assertThat(stats.roomAt()).as(about).isEqualTo(claim.room() > 0 ? null : claim.roomAt());
                assertThat(reader.census("stripe")).isNotNull();
            });
        }
    }

    private void deliverAtRandom(Bucket bucket, Random random) {
        int ago = 70_000;
        while (ago > 1 && random.nextInt(6) > 0) {
            rows.deliver(bucket, 1 + random.nextInt(3), Duration.ofMillis(ago));
            ago = random.nextInt(ago);
        }
        if (random.nextInt(4) == 0) {
            rows.close(bucket, Duration.ofMillis(random.nextInt(60_000) - 30_000));
        }
    }

    private record ClaimRoom(
            OffsetDateTime at, int room, @Nullable Instant roomAt) {}

    /** What a claim would find. */
    private static ClaimRoom countRoom(Connection connection, UUID bucket) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(Sql.load(Pacing.class, "count_room"))) {
            statement.setInt(1, 1);
            statement.setLong(2, 0);
            statement.setArray(3, connection.createArrayOf("uuid", new UUID[] {bucket}));
            statement.setArray(4, connection.createArrayOf("timestamptz", new String[] {null}));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                OffsetDateTime roomAt = row.getObject(4, OffsetDateTime.class);
                return new ClaimRoom(
                        row.getObject(2, OffsetDateTime.class),
                        row.getInt(3),
                        roomAt == null ? null : roomAt.toInstant());
            }
        }
    }

    private String explain(String file, @Nullable Object... parameters) {
        return snapshots.read("explain", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("explain " + Sql.load(Stats.class, file))) {
                bind(statement, parameters);
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

    private static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof Object[] array) {
                String type = array instanceof UUID[] ? "uuid" : "bigint";
                statement.setArray(i + 1, statement.getConnection().createArrayOf(type, array));
            } else {
                statement.setObject(i + 1, parameters[i]);
            }
        }
    }

    private static void assertByIndex(String plan, String... expected) {
        assertThat(plan).contains(expected).doesNotContain("Hash Join", "Merge Join", "Merge Semi", "Hash Semi");
        for (String table : List.of("message", "delivery", "bucket")) {
            assertThat(plan).doesNotContain("Seq Scan on " + table);
        }
    }
}
