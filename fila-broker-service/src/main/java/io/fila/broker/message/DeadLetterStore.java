package io.fila.broker.message;

import java.sql.PreparedStatement;
import java.sql.ResultSet;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.Redriven.Kept;
import org.springframework.stereotype.Component;

/** Looks at dead letter queues. */
@Component
class DeadLetterStore {

    private static final String LAST = "select coalesce(max(sequence), 0) from message where queue_id = ?";
    private static final String COUNT = Sql.load(DeadLetterStore.class, "count_dead_letters");

    private final Database database;

    DeadLetterStore(Database database) {
        this.database = database;
    }

    /** The last sequence in a dead letter queue; 0 if it is empty. */
    long last(long queueId) {
        return database.run("find the last dead letter", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LAST)) {
                statement.setLong(1, queueId);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    /** Counts all that a dead letter queue holds, of which so many ready ones have been rejected: fewer, if some of these are gone by now. */
    Kept count(long queueId, long rejected) {
        return database.run("count dead letters", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                for (int i = 1; i <= 3; i++) {
                    statement.setLong(i, queueId);
                }
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    long ready = row.getLong(1);
                    long stillThere = Math.min(rejected, ready);
                    return new Kept(row.getLong(3), stillThere, row.getLong(4), row.getLong(2), ready - stillThere);
                }
            }
        });
    }
}
