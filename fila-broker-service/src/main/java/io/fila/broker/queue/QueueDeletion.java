package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Takes part in deleting queues: for what refers to them and has an effect on others. */
public interface QueueDeletion {

    /**
     * Lets go of the queues, in the transaction that deletes them. Their fences are held, and no row is locked yet. Returns the ids of
     * other queues that this changes something for.
     */
    Set<Long> deleting(Connection connection, List<Long> queueIds) throws SQLException;
}
