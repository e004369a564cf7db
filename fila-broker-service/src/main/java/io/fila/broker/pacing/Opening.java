package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * How a grant begins, be it of messages or of permits.
 *
 * @param isCurrent what the grant goes by is as it believes; if not, the rest means nothing
 * @param locked the buckets that nobody else holds, locked until the transaction ends
 * @param settled the bounds of the records that were settled, by their ids
 * @param rooms the room of each bucket; those that do not exist are missing
 */
record Opening(boolean isCurrent, Set<UUID> locked, Map<Long, OffsetDateTime> settled, Map<UUID, Room> rooms) {

    /** Whether a row says that things are as believed; there is none if what it would say it of is gone. */
    @FunctionalInterface
    interface Belief {
        boolean holds(ResultSet row) throws SQLException;
    }

    /**
     * Reads the current result, which the belief is about, the locked buckets, and those of {@link RoomCount#SETTLE_AND_COUNT}.
     */
    static Opening read(PreparedStatement statement, Belief belief, int needed) throws SQLException {
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
        return new Opening(isCurrent, locked, settled, RoomCount.readRooms(statement, needed));
    }
}
