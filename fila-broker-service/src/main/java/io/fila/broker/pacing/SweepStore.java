package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;

/**
 * What the database can forget of buckets. Each method is one transaction, which waits for no lock: what somebody else holds is
 * left for another time. Lock order: throttles by name, then buckets by id (I6).
 */
final class SweepStore {

    private static final String FIND = Sql.load(SweepStore.class, "find_outdated_buckets");
    private static final String HOLD_THROTTLES = Sql.load(SweepStore.class, "hold_throttles");
    private static final String LOCK_BUCKETS = Sql.load(SweepStore.class, "lock_buckets");
    private static final String PRUNE = Sql.load(SweepStore.class, "prune_deliveries");
    private static final String EVICT = Sql.load(SweepStore.class, "evict_buckets");
    private static final String FORGET_GAPS = Sql.load(SweepStore.class, "forget_gaps");
    private static final String FIND_THROTTLES = Sql.load(SweepStore.class, "find_unused_throttles");
    private static final String LOCK_THROTTLES =
            "select name from throttle where name = any (?) order by name for update skip locked";
    private static final String DELETE_THROTTLES = Sql.load(SweepStore.class, "delete_throttles");

    /** What is forgotten need not be so after a crash; and no plan may come to read a table. */
    private static final String BEGIN = "set local synchronous_commit = off; set local enable_seqscan = off";

    private final Database database;
    private final Timeline timeline;
    private final Duration grace;

    /** @param grace how long a bucket without records is kept after it was made or granted from */
    SweepStore(Database database, Timeline timeline, Duration grace) {
        this.database = database;
        this.timeline = timeline;
        this.grace = grace;
    }

    /** A bucket with something to be forgotten. */
    record Outdated(UUID id, String throttle) {}

    /**
     * A look at some buckets.
     *
     * @param seen how many there were
     * @param last the last of them
     */
    record Page(int seen, UUID last, List<Outdated> outdated) {}

    /** What was forgotten. */
    record Forgotten(int records, int buckets) {}

    /** Looks at up to {@code limit} buckets after the given one. */
    Page find(UUID after, int limit) {
        return database.run("find idle buckets", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND)) {
                statement.setObject(1, after);
                statement.setInt(2, limit);
                statement.setLong(3, grace.toMillis());
                int seen = 0;
                UUID last = after;
                List<Outdated> outdated = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        seen++;
                        last = row.getObject(1, UUID.class);
                        if (row.getBoolean(3)) {
                            outdated.add(new Outdated(last, row.getString(2)));
                        }
                    }
                }
                return new Page(seen, last, outdated);
            }
        });
    }

    /** Prunes up to {@code maxRecords} records of the buckets, and evicts those that have none left. */
    Forgotten forget(Collection<Outdated> outdated, int maxRecords) {
        return timeline.inTransaction("forget idle buckets", connection -> {
            begin(connection);
            // a subscriber that raises the retention waits until this is over, or is not disturbed
            Set<String> held = lock(
                    connection,
                    HOLD_THROTTLES,
                    outdated.stream().map(Outdated::throttle).distinct().toList());
            Object[] candidates = outdated.stream()
                    .filter(bucket -> held.contains(bucket.throttle()))
                    .map(Outdated::id)
                    .toArray();
            Object[] locked = lockBuckets(connection, candidates);
            if (locked.length == 0) {
                return new Forgotten(0, 0);
            }
            int records = update(connection, PRUNE, locked, maxRecords);
            return new Forgotten(records, update(connection, EVICT, locked, grace.toMillis()));
        });
    }

    /** Forgets what a crash has made incomplete of the throttles' history, where no limit counts it any more. */
    void forgetGaps() {
        timeline.inTransaction("forget gaps in the history of throttles", connection -> {
            begin(connection);
            try (PreparedStatement statement = connection.prepareStatement(FORGET_GAPS)) {
                return statement.executeUpdate();
            }
        });
    }

    /** Throttles that nobody declares, that have no buckets and whose history is complete. */
    Set<String> findUnusedThrottles() {
        return database.run("find unused throttles", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND_THROTTLES)) {
                return names(statement);
            }
        });
    }

    /** Deletes those of the throttles that are unused still. */
    void deleteUnusedThrottles(Collection<String> names) {
        database.inTransactionWithoutResult("delete unused throttles", connection -> {
            begin(connection);
            Set<String> locked = lock(connection, LOCK_THROTTLES, names);
            try (PreparedStatement statement = connection.prepareStatement(DELETE_THROTTLES)) {
                statement.setArray(1, connection.createArrayOf("text", locked.toArray()));
                statement.executeUpdate();
            }
        });
    }

    private static void begin(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(BEGIN);
        }
    }

    private static Set<String> lock(Connection connection, String sql, Collection<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            return names(statement);
        }
    }

    private static Object[] lockBuckets(Connection connection, Object[] ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK_BUCKETS)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids));
            List<UUID> locked = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getObject(1, UUID.class));
                }
            }
            return locked.toArray();
        }
    }

    private static int update(Connection connection, String sql, Object[] buckets, long parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("uuid", buckets));
            statement.setLong(2, parameter);
            return statement.executeUpdate();
        }
    }

    private static Set<String> names(PreparedStatement statement) throws SQLException {
        Set<String> names = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }
}
