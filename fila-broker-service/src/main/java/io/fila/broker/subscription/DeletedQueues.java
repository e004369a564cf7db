package io.fila.broker.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.fila.broker.queue.QueueDeletion;
import org.springframework.stereotype.Component;

/**
 * Ends the subscriptions of a queue that is deleted, and with them what they declare for other queues. Those go by the limits that
 * are left: no claim needs to be kept from going by the old ones, since fewer declarations are never stricter.
 */
@Component
class DeletedQueues implements QueueDeletion {

    private static final String THROTTLES =
            "select distinct throttle from declaration where queue_id = any (?) order by throttle";
    private static final String END = "delete from subscription where queue_id = any (?)";

    private final DeclarationStore declarations;

    DeletedQueues(DeclarationStore declarations) {
        this.declarations = declarations;
    }

    @Override
    public Set<Long> deleting(Connection connection, List<Long> queueIds) throws SQLException {
        // under the queues' fences nobody declares more
        List<String> names = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(THROTTLES)) {
            statement.setArray(1, connection.createArrayOf("bigint", queueIds.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
        }
        declarations.lock(connection, names);
        try (PreparedStatement statement = connection.prepareStatement(END)) {
            statement.setArray(1, connection.createArrayOf("bigint", queueIds.toArray()));
            statement.executeUpdate();
        }
        for (String name : names) {
            declarations.recompute(connection, name);
        }
        return declarations.queuesOf(connection, names);
    }
}
