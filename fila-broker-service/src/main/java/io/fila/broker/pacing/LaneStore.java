package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.LaneKey;
import io.fila.broker.message.TextMaps;
import io.fila.broker.message.Weight;
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
    private static final String HEADS = Sql.load(LaneStore.class, "find_group_heads");
    private static final String WEIGH = Sql.load(LaneStore.class, "weigh_lanes");
    private static final String FIND_STALE = Sql.load(LaneStore.class, "find_stale_messages");
    private static final String MOVE = Sql.load(LaneStore.class, "move_messages");

    private final Database database;

    LaneStore(Database database) {
        this.database = database;
    }

    /**
     * A ready message, as far as lanes and buckets are concerned.
     *
     * @param weight its own or, of a lane's oldest message, that of the lane's latest
     */
    record Found(UUID lane, long sequence, Weight weight, Properties properties) {}

    /**
     * The oldest message that is known to be of an ordering group.
     *
     * @param isHead false if a message before it is unclassified, which may be of any group
     */
    record GroupHead(Found message, boolean isReady, boolean isHead) {}

    /** What keys are made of. */
    record Properties(@Nullable String fairnessKey, Map<String, String> headers, Map<String, String> attributes)
            implements Keyed {}

    /**
     * Messages that were moved.
     *
     * @param messages as they are now
     * @param lanesDone how many of the lanes, from the first on, were looked through to their end
     * @param next from which sequence on the lane after those is to be looked at
     */
    record Moved(List<Found> messages, int lanesDone, long next) {}

    /** A lane with ready messages, and the lowest sequence among them. */
    record Head(UUID lane, long sequence) {}

    /** Lanes with ready messages after the given one, in order: {@code count} of them and up to three times as many, or all that are left. */
    List<Head> find(long queueId, UUID after, int count) {
        return database.run("find lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND)) {
                statement.setObject(1, after);
                statement.setLong(2, queueId);
                statement.setInt(3, count);
                List<Head> heads = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        heads.add(new Head(row.getObject(1, UUID.class), row.getLong(2)));
                    }
                }
                return heads;
            }
        });
    }

    /** The oldest ready message of each lane; lanes without are missing. */
    List<Found> describe(long queueId, Collection<UUID> lanes) {
        return database.run("describe lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
                statement.setArray(1, connection.createArrayOf("uuid", lanes.toArray()));
                statement.setLong(2, queueId);
                statement.setLong(3, queueId);
                List<Found> found = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        found.add(found(row, 1));
                    }
                }
                return found;
            }
        });
    }

    /** The weight that the latest ready message of each lane gives; lanes without are missing. */
    Map<UUID, Weight> weigh(long queueId, Collection<UUID> lanes) {
        return database.run("weigh lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(WEIGH)) {
                statement.setArray(1, connection.createArrayOf("uuid", lanes.toArray()));
                statement.setLong(2, queueId);
                Map<UUID, Weight> weights = new HashMap<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        weights.put(row.getObject(1, UUID.class), new Weight(row.getInt(2), row.getLong(3)));
                    }
                }
                return weights;
            }
        });
    }

    /**
     * The head of each ordering group; lanes that are none are missing.
     *
     * @param after the sequence of each before which the group has nothing left
     */
    List<GroupHead> heads(long queueId, Map<UUID, Long> after) {
        return database.run("find the heads of ordering groups", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(HEADS)) {
                statement.setLong(1, queueId);
                statement.setArray(
                        2, connection.createArrayOf("uuid", after.keySet().toArray()));
                statement.setArray(
                        3, connection.createArrayOf("bigint", after.values().toArray()));
                statement.setLong(4, queueId);
                List<GroupHead> heads = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        heads.add(new GroupHead(found(row, 1), row.getBoolean(8), row.getBoolean(9)));
                    }
                }
                return heads;
            }
        });
    }

    /**
     * Moves ready messages of some lanes, the oldest of the first lane first, to where {@code laneKey} says. If a crash undoes it, they are
     * found where they were, and moved again.
     *
     * @param lanes with the sequence from which on each is looked at: to begin at the start each time would be to pass all that have
     *     been moved
     */
    Moved relane(long queueId, List<Head> lanes, LaneKey laneKey, int limit) {
        return database.inTransaction("move messages to their lanes", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("set local synchronous_commit = off")) {
                statement.execute();
            }
            Stale stale = stale(connection, queueId, lanes, limit);
            List<Found> moved = new ArrayList<>();
            for (Found found : stale.messages()) {
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
            if (moved.size() < limit) {
                return new Moved(moved, lanes.size(), 0);
            }
            return new Moved(
                    moved, stale.lastPosition() - 1, moved.get(limit - 1).sequence() + 1);
        });
    }

    /** Messages, and which of the lanes that were looked at the last of them is of; the first is 1. */
    private record Stale(List<Found> messages, int lastPosition) {}

    private static Stale stale(Connection connection, long queueId, List<Head> lanes, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND_STALE)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "uuid", lanes.stream().map(Head::lane).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", lanes.stream().map(Head::sequence).toArray()));
            statement.setLong(3, queueId);
            statement.setInt(4, limit);
            statement.setInt(5, limit);
            List<Found> found = new ArrayList<>();
            int position = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    position = row.getInt(1);
                    found.add(found(row, 2));
                }
            }
            return new Stale(found, position);
        }
    }

    private static Found found(ResultSet row, int first) throws SQLException {
        return new Found(
                row.getObject(first, UUID.class),
                row.getLong(first + 1),
                new Weight(row.getInt(first + 3), row.getLong(first + 6)),
                new Properties(
                        row.getString(first + 2),
                        TextMaps.fromJson(row.getString(first + 4)),
                        TextMaps.fromJson(row.getString(first + 5))));
    }
}
