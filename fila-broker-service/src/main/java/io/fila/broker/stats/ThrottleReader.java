package io.fila.broker.stats;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import com.github.benmanes.caffeine.cache.Ticker;
import io.fila.broker.jdbc.RecentAnswers;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.ThrottleStats.Declared;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.ThrottlesInForce;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads throttles and who declares them. A declaration counts until its subscription is ended, as it binds until then: some
 * seconds after its subscriber has vanished. Costs a few probes, and a row for each declaration.
 */
@Component
class ThrottleReader {

    private static final String KNOWN = Sql.load(ThrottleReader.class, "find_known_throttles");
    private static final String STATE = """
            select name, key, unthrottled_when_key_missing, limit_counts, limit_windows_ms
            from throttle
            where name = ?
            """;
    private static final String QUEUES = """
            select distinct q.name
            from declaration d
            join queue q on q.id = d.queue_id
            where d.throttle = ?
            """;
    private static final String DECLARED = """
            select limit_counts, limit_windows_ms, count(*)
            from declaration
            where throttle = ?
            group by limit_counts, limit_windows_ms
            """;
    private static final Comparator<Declared> MOST_DECLARED = Comparator.comparingInt(
                    (Declared declared) -> -declared.subscribers())
            .thenComparing(declared -> declared.limits().toString());

    private final Snapshots snapshots;
    private final RecentAnswers<String, List<String>> known;

    ThrottleReader(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.known = new RecentAnswers<>(Snapshots.AGE, what -> readNames(), names -> 1, 1, Ticker.systemTicker());
    }

    /** @param declared each distinct set of limits, the most declared first */
    record Throttle(ActiveThrottle state, List<QueueName> queues, List<Declared> declared) {}

    /** Those that are declared, or have deliveries in their window, by name. */
    List<String> names() {
        return known.get("names");
    }

    /** One of those, or {@code throttle-not-found}. */
    Throttle get(String name) {
        return snapshots.read("read throttle '" + Names.shown(name) + "'", connection -> {
            if (names(connection, name).isEmpty()) {
                throw new ProblemException(
                        ProblemCode.THROTTLE_NOT_FOUND,
                        "name: throttle '%s' is not declared by any subscriber, and has no deliveries in its window"
                                .formatted(Names.shown(name)));
            }
            return new Throttle(state(connection, name), queues(connection, name), declared(connection, name));
        });
    }

    private List<String> readNames() {
        return snapshots.read("find throttles", connection -> names(connection, null));
    }

    private static List<String> names(Connection connection, @Nullable String only) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(KNOWN)) {
            statement.setString(1, only);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
        }
        names.sort(Comparator.naturalOrder());
        return List.copyOf(names);
    }

    private static ActiveThrottle state(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATE)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return ThrottlesInForce.read(row);
            }
        }
    }

    private static List<QueueName> queues(Connection connection, String name) throws SQLException {
        List<QueueName> queues = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(QUEUES)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    queues.add(new QueueName(rows.getString(1)));
                }
            }
        }
        queues.sort(Comparator.comparing(QueueName::value));
        return queues;
    }

    /** The order in which limits were declared makes no difference. */
    private static List<Declared> declared(Connection connection, String name) throws SQLException {
        Map<List<Limit>, Integer> subscribers = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(DECLARED)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    List<Limit> limits = new ArrayList<>(ThrottlesInForce.limits(row, 1));
                    limits.sort(Comparator.comparing(Limit::window));
                    subscribers.merge(limits, row.getInt(3), Integer::sum);
                }
            }
        }
        return subscribers.entrySet().stream()
                .map(set -> new Declared(set.getKey(), set.getValue()))
                .sorted(MOST_DECLARED)
                .toList();
    }
}
