package io.fila.broker.stats;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import com.github.benmanes.caffeine.cache.Ticker;
import io.fila.broker.jdbc.RecentAnswers;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.stats.BucketStats.Used;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.ThrottlesInForce;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads buckets and what is delivered from them. */
@Component
class BucketReader {

    private static final String COUNT = Sql.load(BucketReader.class, "count_buckets");
    private static final String FIND_ACTIVE = Sql.load(BucketReader.class, "find_active_buckets");
    private static final String DESCRIBE = Sql.load(BucketReader.class, "describe_buckets");

    /** In buckets without room: some tens of megabytes. */
    private static final long MAX_WEIGHT = 1_000_000;

    private final Snapshots snapshots;
    private final RecentAnswers<String, BucketCensus> recent;

    BucketReader(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.recent = new RecentAnswers<>(
                Snapshots.AGE,
                this::count,
                census -> 10 + census.withoutRoom().size(),
                MAX_WEIGHT,
                Ticker.systemTicker());
    }

    /** Counts the buckets of a throttle. Costs a few probes for each. */
    BucketCensus census(String throttle) {
        return recent.get(throttle);
    }

    private BucketCensus count(String throttle) {
        return snapshots.read("count the buckets of throttle '" + throttle + "'", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                statement.setString(1, throttle);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new BucketCensus(row.getObject(1, OffsetDateTime.class), row.getLong(2), Set.of((UUID[])
                            row.getArray(3).getArray()));
                }
            }
        });
    }

    /** Up to {@code limit} buckets of a throttle with deliveries in its longest window, always the same ones first. */
    List<UUID> findActive(Connection connection, String throttle, OffsetDateTime at, Collection<UUID> except, int limit)
            throws SQLException {
        List<UUID> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(FIND_ACTIVE)) {
            statement.setObject(1, at);
            statement.setString(2, throttle);
            statement.setArray(3, connection.createArrayOf("uuid", except.toArray()));
            statement.setInt(4, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getObject(1, UUID.class));
                }
            }
        }
        return found;
    }

    /**
     * Each of the buckets that is stored, with nothing waiting.
     *
     * @param at the moment of the database's clock; null: now
     */
    Map<UUID, BucketStats> describe(Connection connection, Collection<UUID> buckets, @Nullable OffsetDateTime at)
            throws SQLException {
        Map<UUID, BucketStats> described = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
            statement.setObject(1, at);
            statement.setArray(2, connection.createArrayOf("uuid", buckets.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    described.put(
                            row.getObject(1, UUID.class),
                            new BucketStats(keyValues(row), 0, used(row), instant(row, 6), instant(row, 7)));
                }
            }
        }
        return described;
    }

    private static @Nullable List<String> keyValues(ResultSet row) throws SQLException {
        var values = row.getArray(2);
        return values == null ? null : List.of((String[]) values.getArray());
    }

    private static List<Used> used(ResultSet row) throws SQLException {
        List<Limit> limits = ThrottlesInForce.limits(row, 3);
        Long[] counts = (Long[]) row.getArray(5).getArray();
        List<Used> used = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            used.add(new Used(limits.get(i), counts[i]));
        }
        return used;
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime moment = row.getObject(column, OffsetDateTime.class);
        return moment == null ? null : moment.toInstant();
    }
}
