package io.fila.broker.subscription;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.Limits;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import io.fila.broker.throttle.ThrottlesInForce;
import org.springframework.stereotype.Component;

/**
 * Declarations and what they come to: rows of {@code declaration} and {@code throttle}. Every method works in the caller's
 * transaction, which has locked the throttles first ({@link #lock}), in the order of their names.
 */
@Component
class DeclarationStore {

    /** Locks what is there already: whoever deletes unused throttles must not come between this and the declaration. */
    private static final String ENSURE = """
            insert into throttle (name, key, unthrottled_when_key_missing, limit_counts, limit_windows_ms, retention_ms)
            values (?, ?, ?, ?, ?, ?)
            on conflict (name) do update set name = excluded.name
            """;

    /** In the order in which {@link #ensureAndLock} meets them, whatever the database's collation. */
    private static final String LOCK =
            "select name from throttle where name = any (?) order by name collate \"C\" for no key update";

    /**
     * By HTTP a subscription is over for good when its time has passed. One of a node's is not: a node that has not been seen for
     * long may beat again, and its consumers deliver by what they declared. So it counts until somebody has ended it.
     */
    private static final String CONFLICT = """
            select t.key
            from throttle t
            where t.name = ?
              and t.key <> ?
              and exists (
                  select 1
                  from declaration d
                  join subscription s on s.id = d.subscription_id
                  where d.throttle = t.name
                    and (s.node_id is not null
                        or s.expires_at > clock_timestamp())
              )
            """;

    private static final String INSERT = """
            insert into declaration (subscription_id, throttle, queue_id, unthrottled_when_key_missing, limit_counts,
                                     limit_windows_ms)
            values (?, ?, ?, ?, ?, ?)
            """;
    private static final String DECLARED =
            "select unthrottled_when_key_missing, limit_counts, limit_windows_ms from declaration where throttle = ?";
    private static final String UPDATE = """
            update throttle t
            set unthrottled_when_key_missing = ?,
                limit_counts = ?,
                limit_windows_ms = ?,
                retention_ms = greatest(t.retention_ms, ?)
            from throttle before
            where t.name = ?
              and before.name = t.name
            returning before.unthrottled_when_key_missing <> t.unthrottled_when_key_missing,
                      before.limit_counts <> t.limit_counts or before.limit_windows_ms <> t.limit_windows_ms
            """;
    private static final String QUEUES = "select distinct queue_id from declaration where throttle = any (?)";
    private static final String RESET_KEY = "update throttle set key = ? where name = ? and key <> ?";

    /** How a throttle is another than it was. */
    enum Change {
        NONE,
        /** Claims read limits where they are true; who waits for room may wait for too long. */
        LIMITS,
        /** Messages draw from other buckets than before. */
        BUCKETS
    }

    /** Creates missing throttles and locks all of them, in the order of their names. */
    void ensureAndLock(Connection connection, List<ThrottleDeclaration> declarations) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ENSURE)) {
            for (ThrottleDeclaration declaration : sorted(declarations)) {
                statement.setString(1, declaration.name());
                statement.setArray(2, key(connection, declaration.key()));
                statement.setBoolean(3, declaration.whenKeyMissing() == MissingKey.UNTHROTTLED);
                bindLimits(connection, statement, 4, declaration.limits());
                statement.setLong(6, longest(declaration.limits()));
                statement.executeUpdate();
            }
        }
        lock(connection, declarations.stream().map(ThrottleDeclaration::name).toList());
    }

    void lock(Connection connection, Collection<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            statement.execute();
        }
    }

    /**
     * Throws {@code throttle-conflict} if somebody who may be alive declares the name with another key; else the key is this one. True
     * if it was another.
     */
    boolean requireSameKey(Connection connection, ThrottleDeclaration declaration) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CONFLICT)) {
            statement.setString(1, declaration.name());
            statement.setArray(2, key(connection, declaration.key()));
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    String inForce =
                            String.join(", ", (String[]) row.getArray(1).getArray());
                    throw new ProblemException(
                            ProblemCode.THROTTLE_CONFLICT,
                            "throttles: throttle '%s' is declared with the key [%s], got [%s]; one name is one set of buckets: use the same key or another name"
                                    .formatted(declaration.name(), inForce, join(declaration.key())));
                }
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(RESET_KEY)) {
            statement.setArray(1, key(connection, declaration.key()));
            statement.setString(2, declaration.name());
            statement.setArray(3, key(connection, declaration.key()));
            return statement.executeUpdate() > 0;
        }
    }

    void insert(Connection connection, UUID subscription, long queueId, ThrottleDeclaration declaration)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setObject(1, subscription);
            statement.setString(2, declaration.name());
            statement.setLong(3, queueId);
            statement.setBoolean(4, declaration.whenKeyMissing() == MissingKey.UNTHROTTLED);
            bindLimits(connection, statement, 5, declaration.limits());
            statement.executeUpdate();
        }
    }

    /**
     * Makes the throttle what all its declarations come to: every limit of theirs, the stricter policy. What nobody declares any
     * more stays as it was.
     */
    Change recompute(Connection connection, String name) throws SQLException {
        List<Limit> limits = new ArrayList<>();
        boolean unthrottled = true;
        try (PreparedStatement statement = connection.prepareStatement(DECLARED)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    unthrottled &= row.getBoolean(1);
                    limits.addAll(ThrottlesInForce.limits(row, 2));
                }
            }
        }
        if (limits.isEmpty()) {
            return Change.NONE;
        }
        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
            statement.setBoolean(1, unthrottled);
            bindLimits(connection, statement, 2, Limits.effective(limits));
            statement.setLong(4, longest(limits));
            statement.setString(5, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    return Change.BUCKETS;
                }
                return row.getBoolean(2) ? Change.LIMITS : Change.NONE;
            }
        }
    }

    /** The queues on which any of the throttles is declared. */
    Set<Long> queuesOf(Connection connection, Collection<String> names) throws SQLException {
        Set<Long> queues = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(QUEUES)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    queues.add(row.getLong(1));
                }
            }
        }
        return queues;
    }

    private static List<ThrottleDeclaration> sorted(List<ThrottleDeclaration> declarations) {
        return declarations.stream()
                .sorted(Comparator.comparing(ThrottleDeclaration::name))
                .toList();
    }

    private static long longest(List<Limit> limits) {
        return limits.stream()
                .mapToLong(limit -> limit.window().toMillis())
                .max()
                .orElse(0);
    }

    private static void bindLimits(Connection connection, PreparedStatement statement, int first, List<Limit> limits)
            throws SQLException {
        Object[] counts = limits.stream().map(Limit::count).toArray();
        Object[] windows =
                limits.stream().map(limit -> limit.window().toMillis()).toArray();
        statement.setArray(first, connection.createArrayOf("integer", counts));
        statement.setArray(first + 1, connection.createArrayOf("bigint", windows));
    }

    private static Array key(Connection connection, List<KeyComponent> key) throws SQLException {
        return connection.createArrayOf(
                "text", key.stream().map(KeyComponent::toString).toArray());
    }

    private static String join(List<KeyComponent> key) {
        return String.join(", ", key.stream().map(KeyComponent::toString).toList());
    }
}
