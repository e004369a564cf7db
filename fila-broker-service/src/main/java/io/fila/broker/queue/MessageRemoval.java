package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Removes a queue's messages in batches, each of which is a transaction of its own on a connection that commits every statement:
 * one statement for all of them would be cut off by the timeout of its connection, and begin anew each time.
 */
final class MessageRemoval {

    private static final int BATCH = 10_000;

    /** For a queue that keeps receiving: what came during a round is left to the next, and after these to the caller. */
    private static final int ROUNDS = 5;

    private static final String LAST = "select max(sequence) from message where queue_id = ?";
    private static final String LAST_OF_BATCH = """
            select max(sequence)
            from (select sequence from message where queue_id = ? and sequence > ? order by sequence limit ?) as batch
            """;
    private static final String REMOVE = "delete from message where queue_id = ? and sequence > ? and sequence <= ?";

    private static final String REMOVE_UNLOCKED = """
            with unlocked as materialized (
                select queue_id, sequence
                from message
                where queue_id = ? and sequence > ? and sequence <= ?
                for update skip locked
            )
            delete from message m
            using unlocked u
            where m.queue_id = any (array[u.queue_id]) and m.sequence = any (array[u.sequence])
            """;

    private MessageRemoval() {}

    /** Removes what was there at the beginning and is not leased; returns how many. */
    static long purge(Connection connection, long queueId) throws SQLException {
        return round(connection, queueId, REMOVE + " and state <> 3");
    }

    /** Removes all but what comes meanwhile, and what somebody is working on: it waits for nobody. */
    static void empty(Connection connection, long queueId) throws SQLException {
        int rounds = 0;
        long removed;
        do {
            removed = round(connection, queueId, REMOVE_UNLOCKED);
            rounds++;
        } while (removed > BATCH && rounds < ROUNDS);
    }

    private static long round(Connection connection, long queueId, String remove) throws SQLException {
        long last = sequence(connection, LAST, queueId);
        long after = Long.MIN_VALUE;
        long removed = 0;
        while (after < last) {
            long to = Math.min(last, sequence(connection, LAST_OF_BATCH, queueId, after, BATCH));
            if (to <= after) {
                break;
            }
            removed += remove(connection, remove, queueId, after, to);
            after = to;
        }
        return removed;
    }

    private static long remove(Connection connection, String sql, long... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            return statement.executeLargeUpdate();
        }
    }

    /** The sequence, or the lowest there is if there is none. */
    private static long sequence(Connection connection, String sql, long... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, parameters);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                long sequence = row.getLong(1);
                return row.wasNull() ? Long.MIN_VALUE : sequence;
            }
        }
    }

    private static void set(PreparedStatement statement, long... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setLong(i + 1, parameters[i]);
        }
    }
}
