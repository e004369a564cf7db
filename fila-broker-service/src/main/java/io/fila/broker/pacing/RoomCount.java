package io.fila.broker.pacing;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.jdbc.Sql;
import io.fila.broker.pacing.BucketStore.Settlement;

/**
 * The two statements in which the opening of a grant ends, and every settlement: records are settled, and the room of buckets
 * is counted.
 */
final class RoomCount {

    /** The parameters are those of {@link #bind}; the results are {@link #readBounds} and {@link #readRooms}. */
    static final String SETTLE_AND_COUNT =
            Sql.load(RoomCount.class, "settle_deliveries") + ";\n" + Sql.load(RoomCount.class, "count_room");

    private static final int SETTLEMENT_PARAMETERS = 5;

    private RoomCount() {}

    /**
     * What is counted.
     *
     * @param openings when buckets are expected to have room; without that, the room is that of the present
     * @param ahead no room is counted for a moment further ahead than this
     * @param needed when there is room is said for so many
     */
    record Asked(Collection<UUID> buckets, Map<UUID, OffsetDateTime> openings, Duration ahead, int needed) {}

    static void bind(PreparedStatement statement, int first, Collection<Settlement> settlements, Asked asked)
            throws SQLException {
        Connection connection = statement.getConnection();
        bindSettlements(connection, statement, first, settlements);
        int next = first + SETTLEMENT_PARAMETERS;
        statement.setInt(next, asked.needed());
        statement.setLong(next + 1, asked.ahead().toNanos() / 1000);
        statement.setArray(
                next + 2, connection.createArrayOf("uuid", asked.buckets().toArray()));
        statement.setArray(next + 3, BucketStore.array(connection, "timestamptz", asked.buckets(), bucket -> {
            OffsetDateTime opening = asked.openings().get(bucket);
            return opening == null ? null : opening.toString();
        }));
    }

    private static void bindSettlements(
            Connection connection, PreparedStatement statement, int first, Collection<Settlement> settlements)
            throws SQLException {
        Array buckets = BucketStore.array(
                connection, "uuid", settlements, s -> s.grant().bucket());
        statement.setArray(first, buckets);
        statement.setArray(first + 1, buckets);
        statement.setArray(
                first + 2,
                BucketStore.array(
                        connection,
                        "timestamptz",
                        settlements,
                        s -> s.grant().until().toString()));
        statement.setArray(
                first + 3,
                BucketStore.array(
                        connection, "bigint", settlements, s -> s.grant().record()));
        statement.setArray(
                first + 4,
                BucketStore.array(
                        connection, "timestamptz", settlements, s -> s.sentBy().toString()));
    }

    /** Reads the bounds of the records that were settled, by their ids. */
    static Map<Long, OffsetDateTime> readBounds(PreparedStatement statement) throws SQLException {
        Map<Long, OffsetDateTime> bounds = new HashMap<>();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                bounds.put(rows.getLong(1), rows.getObject(2, OffsetDateTime.class));
            }
        }
        return bounds;
    }

    /** Reads the room of each bucket that exists. */
    static Map<UUID, Room> readRooms(PreparedStatement statement, int needed) throws SQLException {
        Map<UUID, Room> rooms = new HashMap<>();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                UUID id = rows.getObject(1, UUID.class);
                int room = rows.getInt(3);
                OffsetDateTime roomAt = room >= needed ? null : rows.getObject(4, OffsetDateTime.class);
                rooms.put(id, new Room(id, rows.getObject(2, OffsetDateTime.class), room, roomAt, rows.getBoolean(5)));
            }
        }
        return rooms;
    }
}
