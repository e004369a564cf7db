package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.ThrottlesInForce;
import org.springframework.stereotype.Component;

/** Reads what deliveries and permits go by. */
@Component
class RulesStore {

    private static final String QUEUE =
            "select name, throttle_version, paused, visibility_timeout_ms, lane_key from queue where id = ?";
    private static final String THROTTLE = Sql.load(RulesStore.class, "find_throttle");

    private final Database database;

    RulesStore(Database database) {
        this.database = database;
    }

    /** Empty if the queue is gone. */
    Optional<QueueRules> load(long queueId) {
        // the version first: if more is declared in between, the claim's version check finds out
        return database.run("read the rules of a queue", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(QUEUE)) {
                statement.setLong(1, queueId);
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        return Optional.empty();
                    }
                    return Optional.of(new QueueRules(
                            queueId,
                            new QueueName(row.getString(1)),
                            row.getLong(2),
                            row.getBoolean(3),
                            Duration.ofMillis(row.getLong(4)),
                            LaneKey.parse(List.of((String[]) row.getArray(5).getArray())),
                            ThrottlesInForce.on(connection, queueId)));
                }
            }
        });
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
