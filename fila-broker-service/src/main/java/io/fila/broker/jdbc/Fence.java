package io.fila.broker.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The fence of a queue: claims hold it shared, whoever changes what claims go by (its throttles, its existence) holds it
 * exclusively. Held until the transaction ends. An advisory lock, so that claims do not write to the queue's row.
 */
public final class Fence {

    /** Takes the fence shared; parameter: the queue's id. To be followed by a statement of its own that reads the version. */
    public static final String SHARED = "select pg_advisory_xact_lock_shared(7433, hashint8(?))";

    private static final String EXCLUSIVE = "select pg_advisory_xact_lock(7433, hashint8(?))";

    private Fence() {}

    /** Waits for claims of the queue that are under way, and keeps others from beginning until the transaction ends. */
    public static void exclusive(Connection connection, long queueId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EXCLUSIVE)) {
            statement.setLong(1, queueId);
            statement.execute();
        }
    }
}
