package io.fila.broker.stats;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.TextMaps;
import io.fila.broker.stats.Backlog.Draw;
import io.fila.broker.stats.Backlog.Group;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * Groups the ready messages of a queue by the buckets they draw from. All messages of a lane draw from the same ones, so its
 * oldest message speaks for it. (Messages whose lane was named by an older lane key are counted like the oldest of them until
 * they are moved, which is soon.)
 */
final class ReadyMessages {

    private static final String LANES = Sql.load(ReadyMessages.class, "count_lanes");
    private static final String DESCRIBE = Sql.load(ReadyMessages.class, "describe_messages");
    private static final int PAGE = 1_000;

    private final long queueId;
    private final List<ActiveThrottle> throttles;
    private final Map<List<Draw>, Group> groups = new HashMap<>();

    ReadyMessages(long queueId, List<ActiveThrottle> throttles) {
        this.queueId = queueId;
        this.throttles = throttles;
    }

    private record Head(
            Instant enqueuedAt,
            @Nullable String fairnessKey,
            Map<String, String> headers,
            Map<String, String> attributes)
            implements Keyed {}

    /** In a transaction, so that lanes come in pages. */
    List<Group> groups(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LANES)) {
            statement.setLong(1, queueId);
            statement.setFetchSize(PAGE);
            try (ResultSet lane = statement.executeQuery()) {
                if (throttles.isEmpty()) {
                    addUnthrottled(connection, lane);
                } else {
                    addByLane(connection, lane);
                }
            }
        }
        return List.copyOf(groups.values());
    }

    private void addUnthrottled(Connection connection, ResultSet lane) throws SQLException {
        long count = 0;
        long oldest = Long.MAX_VALUE;
        while (lane.next()) {
            count += lane.getLong(2);
            oldest = Math.min(oldest, lane.getLong(3));
        }
        if (count > 0) {
            add(connection, Map.of(oldest, count));
        }
    }

    private void addByLane(Connection connection, ResultSet lane) throws SQLException {
        Map<Long, Long> counts = new HashMap<>();
        while (lane.next()) {
            counts.put(lane.getLong(3), lane.getLong(2));
            if (counts.size() == PAGE) {
                add(connection, counts);
                counts.clear();
            }
        }
        add(connection, counts);
    }

    /** @param counts of messages by the sequence of the one that speaks for them */
    private void add(Connection connection, Map<Long, Long> counts) throws SQLException {
        if (counts.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
            statement.setLong(1, queueId);
            statement.setArray(
                    2, connection.createArrayOf("bigint", counts.keySet().toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    add(head(row), counts.getOrDefault(row.getLong(1), 0L));
                }
            }
        }
    }

    private void add(Head head, long count) {
        List<Draw> draws = new ArrayList<>();
        for (ActiveThrottle throttle : throttles) {
            throttle.bucketOf(head).ifPresent(bucket -> draws.add(new Draw(throttle.name(), bucket.id())));
        }
        groups.merge(draws, new Group(draws, count, head.enqueuedAt()), ReadyMessages::together);
    }

    private static Group together(Group one, Group other) {
        Instant oldest = one.oldest().isBefore(other.oldest()) ? one.oldest() : other.oldest();
        return new Group(one.draws(), one.count() + other.count(), oldest);
    }

    private static Head head(ResultSet row) throws SQLException {
        return new Head(
                row.getObject(5, OffsetDateTime.class).toInstant(),
                row.getString(2),
                TextMaps.fromJson(row.getString(3)),
                TextMaps.fromJson(row.getString(4)));
    }
}
