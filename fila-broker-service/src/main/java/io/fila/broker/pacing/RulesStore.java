package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.MissingKey;
import org.springframework.stereotype.Component;

/** Reads what deliveries and permits go by. */
@Component
class RulesStore {

    private static final String QUEUE =
            "select name, throttle_version, paused, visibility_timeout_ms, lane_key from queue where id = ?";
    private static final String THROTTLES = """
            select t.name, t.key, t.unthrottled_when_key_missing, (select min(c) from unnest(t.limit_counts) as c)
            from throttle t
            where t.name in (select d.throttle from declaration d where d.queue_id = ?)
            order by t.name
            """;
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
                            throttles(connection, queueId)));
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
                    return row.next() ? Optional.of(throttle(row)) : Optional.empty();
                }
            }
        });
    }

    private static List<ActiveThrottle> throttles(Connection connection, long queueId) throws SQLException {
        List<ActiveThrottle> throttles = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(THROTTLES)) {
            statement.setLong(1, queueId);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    throttles.add(throttle(row));
                }
            }
        }
        return throttles;
    }

    private static ActiveThrottle throttle(ResultSet row) throws SQLException {
        List<KeyComponent> key = new ArrayList<>();
        for (String component : (String[]) row.getArray(2).getArray()) {
            key.add(KeyComponent.parse("key", component));
        }
        return new ActiveThrottle(
                row.getString(1),
                key,
                row.getBoolean(3) ? MissingKey.UNTHROTTLED : MissingKey.SHARED_BUCKET,
                row.getInt(4));
    }
}
