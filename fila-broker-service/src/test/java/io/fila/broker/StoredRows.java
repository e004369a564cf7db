package io.fila.broker;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.LaneKey;
import io.fila.broker.message.MessageState;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Keyed;
import io.fila.broker.throttle.Limit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A database of a test's own, and the rows it is made to hold. */
public final class StoredRows implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HikariDataSource dataSource = newDataSource();
    public final Database database = new Database(dataSource);

    private record Properties(@Nullable String fairnessKey, Map<String, String> headers) implements Keyed {
        @Override
        public Map<String, String> attributes() {
            return Map.of();
        }
    }

    @Override
    public void close() {
        dataSource.close();
    }

    /** A queue and its dead letter queue; returns its id, the other's being one less. */
    public long queue(String name) {
        String insert = """
                insert into queue (name, dead_letter_id, visibility_timeout_ms, max_attempts, initial_backoff_ms,
                                   backoff_multiplier, max_backoff_ms, backoff_jitter)
                values (?, ?, 30000, 3, 1000, 2, 60000, 0.1)
                returning id
                """;
        long deadLetterId = queryLong(insert, name + ".dlq", null);
        return queryLong(insert, name, deadLetterId);
    }

    public void throttle(String name, List<String> key, boolean unthrottledWhenKeyMissing, String... limits) {
        execute(
                """
                insert into throttle (name, key, unthrottled_when_key_missing, limit_counts, limit_windows_ms, retention_ms)
                values (?, ?::text[], ?, ?::integer[], ?::bigint[], ?)
                """,
                name,
                array(key),
                unthrottledWhenKeyMissing,
                counts(limits),
                windows(limits),
                List.of(limits).stream()
                        .mapToLong(limit -> limit(limit).window().toMillis())
                        .max()
                        .orElse(0));
    }

    /** A subscription of the queue that declares the throttle. */
    public void declare(long queueId, String throttle, String... limits) {
        UUID subscription = subscribe(queueId);
        execute("""
                insert into declaration (subscription_id, throttle, queue_id, unthrottled_when_key_missing, limit_counts,
                                         limit_windows_ms)
                values (?, ?, ?, false, ?::integer[], ?::bigint[])
                """, subscription, throttle, queueId, counts(limits), windows(limits));
    }

    public UUID subscribe(long queueId) {
        UUID id = UUID.randomUUID();
        execute(
                "insert into subscription (id, queue_id, consumer, ttl_ms, expires_at) values (?, ?, 'test', 60000,"
                        + " clock_timestamp() + interval '1 minute')",
                id,
                queueId);
        return id;
    }

    /** A message whose lane is told apart by all its headers; returns when it was enqueued. */
    public Instant message(long queueId, MessageState state, Map<String, String> headers) {
        LaneKey laneKey = new LaneKey(headers.keySet().stream()
                .sorted()
                .map(name -> KeyComponent.parse("header", "header:" + name))
                .toList());
        return database.run("store a message", connection -> {
            try (PreparedStatement statement = prepare(
                    connection,
                    """
                    insert into message (queue_id, id, lane, state, available_at, lease, lease_until, headers, payload_kind,
                                         payload)
                    values (?, gen_random_uuid(), ?, ?, ?::interval + clock_timestamp(), ?,
                            ?::interval + clock_timestamp(), ?::jsonb, 0, '')
                    returning enqueued_at
                    """,
                    queueId,
                    laneKey.laneOf(new Properties(null, headers)),
                    state.ordinal(),
                    state == MessageState.DELAYED ? "1 hour" : null,
                    state == MessageState.LEASED ? UUID.randomUUID() : null,
                    state == MessageState.LEASED ? "1 hour" : null,
                    headers.isEmpty() ? null : JSON.writeValueAsString(headers))) {
                var row = statement.executeQuery();
                row.next();
                return row.getObject(1, OffsetDateTime.class).toInstant();
            }
        });
    }

    public Bucket bucket(String throttle, List<String> key, @Nullable List<String> values) {
        Bucket bucket = Bucket.of(
                throttle,
                key.stream().map(part -> KeyComponent.parse("key", part)).toList(),
                values);
        execute(
                "insert into bucket (id, throttle, key_values) values (?, ?, ?::text[])",
                bucket.id(),
                throttle,
                values == null ? null : array(values));
        return bucket;
    }

    /** Counts deliveries that were sent so long ago. To be called for the oldest first. */
    public void deliver(Bucket bucket, int count, Duration ago) {
        execute("""
                with charged as (
                    update bucket set cum = cum + ? where id = ? returning id, cum
                )
                insert into delivery (bucket_id, until, count, cum)
                select id, clock_timestamp() - ? * interval '1 microsecond', ?, cum
                from charged
                """, count, bucket.id(), ago.toNanos() / 1000, count);
    }

    public void close(Bucket bucket, Duration remaining) {
        execute(
                "update bucket set closed_until = clock_timestamp() + ? * interval '1 millisecond' where id = ?",
                remaining.toMillis(),
                bucket.id());
    }

    public void execute(String sql, @Nullable Object... parameters) {
        database.run("arrange a test", connection -> {
            try (PreparedStatement statement = prepare(connection, sql, parameters)) {
                return statement.execute();
            }
        });
    }

    public long queryLong(String sql, @Nullable Object... parameters) {
        return database.run("arrange a test", connection -> {
            try (PreparedStatement statement = prepare(connection, sql, parameters);
                    var row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }

    public static Limit limit(String text) {
        return Limit.parse("limit", text);
    }

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    private static String counts(String... limits) {
        return array(List.of(limits).stream().map(limit -> limit(limit).count()).toList());
    }

    private static String windows(String... limits) {
        return array(List.of(limits).stream()
                .map(limit -> limit(limit).window().toMillis())
                .toList());
    }

    private static String array(List<?> elements) {
        return "{"
                + String.join(",", elements.stream().map(e -> "\"" + e + "\"").toList()) + "}";
    }

    private static HikariDataSource newDataSource() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(TestDatabase.create());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }
}
