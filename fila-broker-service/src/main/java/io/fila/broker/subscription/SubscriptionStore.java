package io.fila.broker.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Fence;
import io.fila.broker.node.Node;
import io.fila.broker.queue.Queue;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Subscriptions in the database. Accepting and ending one holds the queue's fence exclusively, so that no claim commits with a
 * set of throttles older than the last accepted subscription (invariant I4). Lock order: fence, throttles by name, queues by id.
 */
@Component
class SubscriptionStore {

    private static final String INSERT = """
            insert into subscription (id, queue_id, consumer, node_id, ttl_ms, expires_at)
            values (?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond')
            returning expires_at
            """;
    private static final String RENEW = """
            update subscription
            set expires_at = clock_timestamp() + greatest(ttl_ms, ?) * interval '1 millisecond'
            where id = ?
              and expires_at > clock_timestamp()
            returning queue_id, consumer
            """;
    private static final String RENEW_ALL = """
            update subscription
            set expires_at = greatest(expires_at, clock_timestamp() + ? * interval '1 millisecond')
            where id = any (?)
            returning id
            """;
    private static final String FIND_ENDED = """
            select s.id
            from subscription s
            left join node n on n.id = s.node_id
            where s.id > ?
              and (s.expires_at <= clock_timestamp()
                  or (s.node_id is not null
                      and (n.id is null or n.seen_at <= clock_timestamp() - ? * interval '1 millisecond')))
            order by s.id
            limit ?
            """;
    /** Locks the node, so that it either counts as dead for good or beats before this looks again. */
    private static final String IS_ALIVE =
            "select 1 from node where id = ? and seen_at > clock_timestamp() - ? * interval '1 millisecond' for update";

    private final Database database;
    private final Timeline timeline;
    private final DeclarationStore declarations;
    private final ClaimRules rules;

    SubscriptionStore(Database database, Timeline timeline, DeclarationStore declarations) {
        this.database = database;
        this.timeline = timeline;
        this.declarations = declarations;
        this.rules = new ClaimRules(declarations);
    }

    /**
     * An accepted subscription.
     *
     * @param affected ids of the queues whose rules changed
     * @param bindsOthers it declares throttles that bind messages of other subscriptions: some may be under way that were claimed by
     *     older rules
     */
    record Accepted(@Nullable Instant expiresAt, Set<Long> affected, boolean bindsOthers) {}

    /** A subscription by HTTP that is alive. */
    record Renewed(long queueId, String consumer) {}

    /** Accepts a subscription of this node's ({@code ttl} null) or by HTTP ({@code nodeId} null). */
    Accepted accept(
            UUID id,
            Queue queue,
            String consumer,
            @Nullable UUID nodeId,
            @Nullable Duration ttl,
            List<ThrottleDeclaration> throttles) {
        return timeline.inTransaction("accept a subscription of queue '" + queue.name() + "'", connection -> {
            Fence.exclusive(connection, queue.id());
            declarations.ensureAndLock(connection, throttles);
            List<String> laneKey = rules.laneKeyOf(connection, queue);
            Set<String> rekeyed = new HashSet<>();
            for (ThrottleDeclaration throttle : throttles) {
                if (declarations.requireSameKey(connection, throttle)) {
                    rekeyed.add(throttle.name());
                }
            }
            Instant expiresAt = insert(connection, id, queue.id(), consumer, nodeId, ttl);
            for (ThrottleDeclaration throttle : throttles) {
                declarations.insert(connection, id, queue.id(), throttle);
            }
            List<String> names =
                    throttles.stream().map(ThrottleDeclaration::name).toList();
            Set<Long> affected = rules.recompute(connection, queue.id(), names, rekeyed);
            if (!throttles.isEmpty()) {
                rules.updateLaneKey(connection, queue.id(), laneKey);
            }
            // also where others declare the same already: who declared it first may still wait for what was claimed
            // before
            boolean bindsOthers = !names.isEmpty() && rules.hasOthers(connection, id, queue.id(), names);
            return new Accepted(expiresAt, affected, bindsOthers);
        });
    }

    /** Renews a subscription by HTTP, for so long at least; empty if there is none that is alive. */
    Optional<Renewed> renew(UUID id, Duration atLeast) {
        return database.lookUp("renew a subscription", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
                statement.setLong(1, atLeast.toMillis());
                statement.setObject(2, id);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(new Renewed(row.getLong(1), row.getString(2))) : Optional.empty();
                }
            }
        });
    }

    /** Ends a subscription; returns the queues whose rules changed, or nothing if there was no such subscription. */
    Optional<Set<Long>> end(UUID id) {
        return timeline.inTransaction("end a subscription", connection -> {
            Long queueId = queueOf(connection, id);
            return queueId == null ? Optional.empty() : end(connection, queueId, id, false);
        });
    }

    /** The same for a subscription of a queue, also if it is being accepted: waits until it has been, or was not. */
    Optional<Set<Long>> end(long queueId, UUID id) {
        return timeline.inTransaction("end a subscription", connection -> end(connection, queueId, id, false));
    }

    /** The same, unless its time has not passed or its node is alive. */
    Optional<Set<Long>> endIfDead(UUID id) {
        return timeline.inTransaction("end a subscription that is over", connection -> {
            // if this is lost, it is found once more; and there may be many
            try (PreparedStatement statement = connection.prepareStatement("set local synchronous_commit = off")) {
                statement.execute();
            }
            Long queueId = queueOf(connection, id);
            return queueId == null ? Optional.empty() : end(connection, queueId, id, true);
        });
    }

    private Optional<Set<Long>> end(Connection connection, long queueId, UUID id, boolean onlyIfDead)
            throws SQLException {
        Fence.exclusive(connection, queueId);
        List<String> names = throttlesOf(connection, id);
        declarations.lock(connection, names);
        if (onlyIfDead && isAlive(connection, id)) {
            return Optional.empty();
        }
        try (PreparedStatement statement = connection.prepareStatement("delete from subscription where id = ?")) {
            statement.setObject(1, id);
            if (statement.executeUpdate() == 0) {
                return Optional.empty();
            }
        }
        return Optional.of(rules.recompute(connection, queueId, names, Set.of()));
    }

    /** A page of subscriptions that are over, as far as a look without locks can tell: by id, after the given one. */
    List<UUID> findEnded(UUID after, int limit) {
        return database.run("find ended subscriptions", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND_ENDED)) {
                statement.setObject(1, after);
                statement.setLong(2, Node.LAPSE.toMillis());
                statement.setInt(3, limit);
                return ids(statement);
            }
        });
    }

    /** Renews subscriptions by HTTP that have not been ended, for so long at least; returns those. */
    Set<UUID> renew(Set<UUID> ids, Duration atLeast) {
        return database.run("renew subscriptions", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(RENEW_ALL)) {
                statement.setLong(1, atLeast.toMillis());
                statement.setArray(2, connection.createArrayOf("uuid", ids.toArray()));
                return Set.copyOf(ids(statement));
            }
        });
    }

    /** The subscriptions that a node holds. */
    Set<UUID> findOf(UUID nodeId) {
        return database.run("find this node's subscriptions", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select id from subscription where node_id = ?")) {
                statement.setObject(1, nodeId);
                return Set.copyOf(ids(statement));
            }
        });
    }

    private static @Nullable Instant insert(
            Connection connection,
            UUID id,
            long queueId,
            String consumer,
            @Nullable UUID nodeId,
            @Nullable Duration ttl)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            Long ttlMillis = ttl == null ? null : ttl.toMillis();
            statement.setObject(1, id);
            statement.setLong(2, queueId);
            statement.setString(3, consumer);
            statement.setObject(4, nodeId, Types.OTHER);
            statement.setObject(5, ttlMillis, Types.BIGINT);
            statement.setObject(6, ttlMillis, Types.BIGINT);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                OffsetDateTime expiresAt = row.getObject(1, OffsetDateTime.class);
                return expiresAt == null ? null : expiresAt.toInstant();
            }
        }
    }

    private static @Nullable Long queueOf(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select queue_id from subscription where id = ?")) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : null;
            }
        }
    }

    private static List<String> throttlesOf(Connection connection, UUID id) throws SQLException {
        List<String> names = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "select throttle from declaration where subscription_id = ? order by throttle")) {
            statement.setObject(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
        }
        return names;
    }

    private static boolean isAlive(Connection connection, UUID id) throws SQLException {
        UUID nodeId;
        try (PreparedStatement statement = connection.prepareStatement(
                "select node_id, expires_at > clock_timestamp() from subscription where id = ? for update")) {
            statement.setObject(1, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return false;
                }
                nodeId = row.getObject(1, UUID.class);
                if (nodeId == null) {
                    return row.getBoolean(2);
                }
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(IS_ALIVE)) {
            statement.setObject(1, nodeId);
            statement.setLong(2, Node.LAPSE.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private static List<UUID> ids(PreparedStatement statement) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getObject(1, UUID.class));
            }
        }
        return ids;
    }
}
