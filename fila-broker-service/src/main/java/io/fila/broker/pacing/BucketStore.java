package io.fila.broker.pacing;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.throttle.Bucket;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Buckets and delivery records in the database. Each method is one statement of the pacing transaction, or one of its own. */
@Component
class BucketStore {

    private static final String INSERT = Sql.load(BucketStore.class, "insert_buckets");
    private static final String LOCK = Sql.load(BucketStore.class, "lock_buckets");
    private static final String SETTLE = Sql.load(BucketStore.class, "settle_deliveries");
    private static final String COUNT = Sql.load(BucketStore.class, "count_room");
    private static final String CHARGE = Sql.load(BucketStore.class, "charge_buckets");
    private static final String REFUND = Sql.load(BucketStore.class, "refund_deliveries");

    /** What is settled is only a better bound: it need not survive a crash, and waits for no disk. */
    private static final String WITHOUT_WAITING = "set local synchronous_commit = off";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Database database;

    BucketStore(Database database) {
        this.database = database;
    }

    /** A record and the moment by which its messages have been sent. */
    record Settlement(Grant grant, OffsetDateTime sentBy) {}

    /** Tokens of a record that were not used. */
    record Refund(Grant grant, int count) {}

    /** Makes sure the buckets are there. */
    void insert(Collection<Bucket> buckets) {
        database.run("prepare buckets", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.setArray(1, array(connection, "uuid", buckets, Bucket::id));
                statement.setArray(2, array(connection, "text", buckets, Bucket::throttle));
                statement.setArray(
                        3,
                        array(
                                connection,
                                "text",
                                buckets,
                                bucket -> bucket.keyValues() == null
                                        ? null
                                        : JSON.writeValueAsString(bucket.keyValues())));
                return statement.executeUpdate();
            }
        });
    }

    /** Locks those buckets that nobody else holds, until the transaction ends. */
    Set<UUID> lock(Connection connection, Collection<UUID> buckets) throws SQLException {
        Set<UUID> locked = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setArray(1, connection.createArrayOf("uuid", buckets.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getObject(1, UUID.class));
                }
            }
        }
        return locked;
    }

    /** The room of each bucket; those that do not exist are missing. */
    Map<UUID, Room> count(Connection connection, Collection<UUID> buckets) throws SQLException {
        Map<UUID, Room> rooms = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
            Array ids = connection.createArrayOf("uuid", buckets.toArray());
            statement.setArray(1, ids);
            statement.setArray(2, ids);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    int room = rows.getInt(3);
                    double roomInMicros = rows.getDouble(4);
                    Long roomInNanos = room > 0 || rows.wasNull() ? null : (long) Math.ceil(roomInMicros * 1000);
                    UUID id = rows.getObject(1, UUID.class);
                    rooms.put(id, new Room(id, rows.getObject(2, OffsetDateTime.class), room, roomInNanos));
                }
            }
        }
        return rooms;
    }

    /** Counts {@code counts} deliveries at {@code g}, to have been sent within {@code boundMicros}. */
    List<Grant> charge(Connection connection, Map<UUID, Integer> counts, OffsetDateTime g, long boundMicros)
            throws SQLException {
        List<UUID> ids = List.copyOf(counts.keySet());
        try (PreparedStatement statement = connection.prepareStatement(CHARGE)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            statement.setArray(2, array(connection, "integer", ids, counts::get));
            statement.setArray(3, array(connection, "timestamptz", ids, id -> g.toString()));
            statement.setLong(4, boundMicros);
            List<Grant> grants = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    UUID id = rows.getObject(1, UUID.class);
                    OffsetDateTime until = rows.getObject(2, OffsetDateTime.class);
                    grants.add(new Grant(id, g, until, rows.getLong(3), counts.getOrDefault(id, 0)));
                }
            }
            return grants;
        }
    }

    /** Settles records; returns the ids of those that were settled. */
    Set<Long> settle(Connection connection, Collection<Settlement> settlements) throws SQLException {
        Set<Long> settled = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(SETTLE)) {
            Array buckets =
                    array(connection, "uuid", settlements, s -> s.grant().bucket());
            statement.setArray(1, buckets);
            statement.setArray(2, buckets);
            statement.setArray(
                    3,
                    array(
                            connection,
                            "timestamptz",
                            settlements,
                            s -> s.grant().until().toString()));
            statement.setArray(
                    4, array(connection, "bigint", settlements, s -> s.grant().record()));
            statement.setArray(
                    5,
                    array(
                            connection,
                            "timestamptz",
                            settlements,
                            s -> s.sentBy().toString()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    settled.add(rows.getLong(1));
                }
            }
        }
        return settled;
    }

    /** Settles and refunds at once, in a transaction that waits for no lock and no disk; then counts the room that is left. */
    Map<UUID, Room> settleNow(Collection<Settlement> settlements, Collection<Refund> refunds) {
        Set<UUID> buckets = new HashSet<>();
        settlements.forEach(settlement -> buckets.add(settlement.grant().bucket()));
        refunds.forEach(refund -> buckets.add(refund.grant().bucket()));
        return database.inTransaction("settle deliveries", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(WITHOUT_WAITING)) {
                statement.execute();
            }
            refund(connection, refunds);
            settle(connection, settlements);
            return count(connection, buckets);
        });
    }

    private void refund(Connection connection, Collection<Refund> refunds) throws SQLException {
        if (refunds.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(REFUND)) {
            Array buckets = array(connection, "uuid", refunds, r -> r.grant().bucket());
            statement.setArray(1, buckets);
            statement.setArray(2, buckets);
            statement.setArray(
                    3, array(connection, "bigint", refunds, r -> r.grant().record()));
            statement.setArray(4, array(connection, "integer", refunds, Refund::count));
            statement.setArray(
                    5,
                    array(connection, "timestamptz", refunds, r -> r.grant().g().toString()));
            statement.executeUpdate();
        }
    }

    private static <T> Array array(Connection connection, String type, Collection<T> rows, Function<T, ?> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
