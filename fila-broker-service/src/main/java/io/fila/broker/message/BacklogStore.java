package io.fila.broker.message;

import java.sql.PreparedStatement;
import java.sql.ResultSet;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.queue.QueueName;
import org.springframework.stereotype.Component;

/** Reads how much waits in a queue, and, at no cost, how much may have come since. */
@Component
class BacklogStore {

    private static final String COUNT = Sql.load(BacklogStore.class, "count_backlog");
    private static final String LAST_SEQUENCE =
            "select coalesce(pg_sequence_last_value(pg_get_serial_sequence('message', 'sequence')), 0)";

    private final Database database;

    BacklogStore(Database database) {
        this.database = database;
    }

    /**
     * What was in a queue.
     *
     * @param waiting up to the bound that was asked for
     * @param sequence the last that had been given to a message, of whatever queue, before it was counted
     */
    record Count(long waiting, long sequence) {}

    /** Takes as long as there are messages. */
    Count count(long queueId, QueueName name, long most) {
        return database.run("count the backlog of queue '" + name + "'", connection -> {
            long sequence;
            try (PreparedStatement statement = connection.prepareStatement(LAST_SEQUENCE);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                sequence = row.getLong(1);
            }
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                statement.setLong(1, queueId);
                statement.setLong(2, most);
                statement.setLong(3, queueId);
                statement.setLong(4, most);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new Count(row.getLong(1), sequence);
                }
            }
        });
    }

    /** The last sequence that was given to a message, of whatever queue. */
    long lastSequence() {
        return database.lookUp("look how much was stored", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LAST_SEQUENCE);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        });
    }
}
