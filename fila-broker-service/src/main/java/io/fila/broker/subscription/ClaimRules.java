package io.fila.broker.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.subscription.DeclarationStore.Change;

/**
 * What claims of a queue go by, as far as it follows from what is declared: the version of its throttles and its lane key, in the
 * row of the queue. Every method works in the caller's transaction, which holds the queue's fence and has locked the throttles.
 */
final class ClaimRules {

    /** The components that a lane key may grow to before those that nobody needs any more are dropped. */
    private static final int MAX_LANE_KEY = 8;

    private static final String THROTTLES_OF_QUEUE = """
            select distinct unnest(t.key)
            from throttle t
            where t.name in (select d.throttle from declaration d where d.queue_id = ?)
            """;
    private static final String LANE_KEY = "update queue set lane_key = ? where id = ?";

    /** In the order of ids, and without disturbing those that only need the queues to be there: enqueues, subscriptions. */
    private static final String BUMP = """
            update queue
            set throttle_version = throttle_version + 1
            where id in (
                select id
                from queue
                where id in (
                    select ?
                    union all
                    select d.queue_id from declaration d where d.throttle = any (?)
                )
                order by id
                for no key update
            )
            returning id
            """;

    private static final String OTHERS = """
            select 1
            from subscription s
            where s.queue_id in (
                select ?
                union all
                select d.queue_id from declaration d where d.throttle = any (?)
            )
              and s.id <> ?
            limit 1
            """;

    private final DeclarationStore declarations;

    ClaimRules(DeclarationStore declarations) {
        this.declarations = declarations;
    }

    List<String> laneKeyOf(Connection connection, Queue queue) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select lane_key from queue where id = ?")) {
            statement.setLong(1, queue.id());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new ProblemException(
                            ProblemCode.QUEUE_NOT_FOUND, "queue: there is no queue '%s'".formatted(queue.name()));
                }
                return List.of((String[]) row.getArray(1).getArray());
            }
        }
    }

    /**
     * Recomputes throttles that were declared or withdrawn on a queue. Claims of it must go by new rules, and so must those of other
     * queues whose messages draw from other buckets because of that. Returns the ids of all queues that are to look at their rules:
     * those, and those whose messages may wait for the room of limits that are others now.
     */
    Set<Long> recompute(Connection connection, long queueId, List<String> names, Set<String> rekeyed)
            throws SQLException {
        Set<Long> affected = new HashSet<>();
        if (names.isEmpty()) {
            return affected;
        }
        List<String> rebucketed = new ArrayList<>();
        List<String> relimited = new ArrayList<>();
        for (String name : names) {
            Change change = declarations.recompute(connection, name);
            if (change == Change.BUCKETS || rekeyed.contains(name)) {
                rebucketed.add(name);
            } else if (change == Change.LIMITS) {
                relimited.add(name);
            }
        }
        if (!relimited.isEmpty()) {
            affected.addAll(declarations.queuesOf(connection, relimited));
        }
        try (PreparedStatement statement = connection.prepareStatement(BUMP)) {
            statement.setLong(1, queueId);
            statement.setArray(2, connection.createArrayOf("text", rebucketed.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    affected.add(rows.getLong(1));
                }
            }
        }
        return affected;
    }

    /** Lets the lane key tell apart what the throttles do; components only go when there are too many. */
    void updateLaneKey(Connection connection, long queueId, List<String> present) throws SQLException {
        Set<String> needed = new LinkedHashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(THROTTLES_OF_QUEUE)) {
            statement.setLong(1, queueId);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    needed.add(rows.getString(1));
                }
            }
        }
        Set<String> laneKey = new TreeSet<>(present);
        laneKey.addAll(needed);
        if (laneKey.size() > MAX_LANE_KEY) {
            laneKey.retainAll(needed);
        }
        try (PreparedStatement statement = connection.prepareStatement(LANE_KEY)) {
            statement.setArray(1, connection.createArrayOf("text", laneKey.toArray()));
            statement.setLong(2, queueId);
            statement.executeUpdate();
        }
    }

    /** Whether there are subscriptions besides this one on its queue or on those that declare the throttles. */
    boolean hasOthers(Connection connection, UUID id, long queueId, List<String> throttles) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OTHERS)) {
            statement.setLong(1, queueId);
            statement.setArray(2, connection.createArrayOf("text", throttles.toArray()));
            statement.setObject(3, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }
}
