package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.Queues;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.ThrottlesInForce;
import org.springframework.stereotype.Component;

/** Reads what deliveries and permits go by. */
@Component
class RulesStore {

    private static final String VERSION = "select throttle_version from queue where id = ?";
    private static final String THROTTLE = Sql.load(RulesStore.class, "find_throttle");

    private final Database database;
    private final Queues queues;

    RulesStore(Database database, Queues queues) {
        this.database = database;
        this.queues = queues;
    }

    /** Empty if the queue is gone. */
    Optional<QueueRules> load(long queueId) {
        // the version first: if more is declared in between, the claim's version check finds out
        Optional<Long> version = database.run("read the rules of a queue", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(VERSION)) {
                statement.setLong(1, queueId);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
                }
            }
        });
        Optional<Queue> queue = version.isEmpty() ? Optional.empty() : queues.find(queueId);
        return queue.map(present -> new QueueRules(
                queueId,
                present.name(),
                version.get(),
                present.paused(),
                present.settings().visibilityTimeout(),
                LaneKey.of(present),
                database.run("read the throttles of a queue", connection -> ThrottlesInForce.on(connection, queueId))));
    }

    /** A throttle that is declared or has deliveries in its window; empty otherwise. */
    Optional<ActiveThrottle> findThrottle(String name) {
        return database.lookUp("read throttle '" + name + "'", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(THROTTLE)) {
                statement.setString(1, name);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(ThrottlesInForce.read(row)) : Optional.empty();
                }
            }
        });
    }
}
