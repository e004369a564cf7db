package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.clock.Timeline;

/**
 * How a grant begins, be it of messages or of permits.
 *
 * @param clock what is known of the database's clock, which all that follows goes by
 * @param isCurrent what the grant goes by is as it believes; if not, the rest means nothing
 * @param locked the buckets that nobody else holds, locked until the transaction ends
 * @param settled the bounds of the records that were settled, by their ids
 * @param rooms the room of each bucket; those that do not exist are missing
 */
record Opening(
        Bounds clock, boolean isCurrent, Set<UUID> locked, Map<Long, OffsetDateTime> settled, Map<UUID, Room> rooms) {

    /** No node claims further ahead, so no bucket has been granted from for a moment that is. */
    private static final Duration MAX_AHEAD = Duration.ofMinutes(1);

    /** Whether a row says that things are as believed; there is none if what it would say it of is gone. */
    @FunctionalInterface
    interface Belief {
        boolean holds(ResultSet row) throws SQLException;
    }

    /**
     * Reads the current result, which the belief is about, the locked buckets, and those of {@link RoomCount#SETTLE_AND_COUNT}.
     *
     * @param clock what was known of the clock under the lock of the timeline
     * @param sent when the statement was sent, by this node's clock
     */
    static Opening read(PreparedStatement statement, Bounds clock, long sent, Belief belief, int needed)
            throws SQLException {
        boolean isCurrent;
        try (ResultSet row = statement.getResultSet()) {
            isCurrent = row.next() && belief.holds(row);
        }
        Set<UUID> locked = new HashSet<>();
        statement.getMoreResults();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                locked.add(rows.getObject(1, UUID.class));
            }
        }
        statement.getMoreResults();
        Map<Long, OffsetDateTime> settled = RoomCount.readBounds(statement);
        statement.getMoreResults();
        Map<UUID, Room> rooms = RoomCount.readRooms(statement, needed);
        for (Room room : rooms.values()) {
            Timeline.requireNear(room.g(), clock, sent, MAX_AHEAD);
        }
        return new Opening(clock, isCurrent, locked, settled, rooms);
    }
}
