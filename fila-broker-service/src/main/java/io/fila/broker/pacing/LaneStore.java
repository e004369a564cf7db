package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.LaneKey;
import io.fila.broker.message.TextMaps;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Finds lanes with ready messages, and moves messages to the lane that the present lane key gives them. */
@Component
class LaneStore {

    /** Before every lane. */
    static final UUID FIRST = new UUID(0, 0);

    private static final String FIND = Sql.load(LaneStore.class, "find_lanes");
    private static final String DESCRIBE = Sql.load(LaneStore.class, "describe_lanes");
    private static final String FIND_STALE = Sql.load(LaneStore.class, "find_stale_messages");
    private static final String MOVE = Sql.load(LaneStore.class, "move_messages");

    private final Database database;

    LaneStore(Database database) {
        this.database = database;
    }

    /** A ready message, as far as lanes and buckets are concerned. */
    record Found(UUID lane, long sequence, int weight, Properties properties) {}

    /** What keys are made of. */
    record Properties(@Nullable String fairnessKey, Map<String, String> headers, Map<String, String> attributes)
            implements Keyed {}

    /** Up to {@code limit} lanes after the given one, each by its oldest ready message. */
    List<Found> find(long queueId, UUID after, int limit) {
        return database.run("find lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND)) {
                statement.setLong(1, queueId);
                statement.setObject(2, after);
                statement.setLong(3, queueId);
                statement.setInt(4, limit);
                return read(statement);
            }
        });
    }

    /** The oldest ready message of each lane; lanes without are missing. */
    List<Found> describe(long queueId, Collection<UUID> lanes) {
        return database.run("describe lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
                statement.setArray(1, connection.createArrayOf("uuid", lanes.toArray()));
                statement.setLong(2, queueId);
                return read(statement);
            }
        });
    }

    /**
     * Moves the oldest ready messages of a lane to where {@code laneKey} says; returns them as they are now. If a crash undoes it, they
     * are found where they were, and moved again.
     *
     * @param from looks at no lower sequence: to begin at the start each time would be to pass all that have been moved
     */
    List<Found> relane(long queueId, UUID lane, long from, LaneKey laneKey, int limit) {
        return database.inTransaction("move messages to their lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("set local synchronous_commit = off")) {
                statement.execute();
            }
            List<Found> moved = new ArrayList<>();
            for (Found found : stale(connection, queueId, lane, from, limit)) {
                UUID now = laneKey.laneOf(found.properties());
                moved.add(new Found(now, found.sequence(), found.weight(), found.properties()));
            }
            try (PreparedStatement statement = connection.prepareStatement(MOVE)) {
                statement.setArray(
                        1,
                        connection.createArrayOf(
                                "bigint", moved.stream().map(Found::sequence).toArray()));
                statement.setArray(
                        2,
                        connection.createArrayOf(
                                "uuid", moved.stream().map(Found::lane).toArray()));
                statement.setLong(3, queueId);
                statement.executeUpdate();
            }
            return moved;
        });
    }

    private static List<Found> stale(Connection connection, long queueId, UUID lane, long from, int limit)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND_STALE)) {
            statement.setLong(1, queueId);
            statement.setObject(2, lane);
            statement.setLong(3, from);
            statement.setInt(4, limit);
            return read(statement);
        }
    }

    private static List<Found> read(PreparedStatement statement) throws SQLException {
        List<Found> found = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(new Found(
                        row.getObject(1, UUID.class),
                        row.getLong(2),
                        row.getInt(4),
                        new Properties(
                                row.getString(3),
                                TextMaps.fromJson(row.getString(5)),
                                TextMaps.fromJson(row.getString(6)))));
            }
        }
        return found;
    }
}
