package io.fila.broker.pacing;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Fence;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.throttle.Bucket;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Buckets and delivery records in the database. Each method is one statement of the pacing transaction, or one of its own. */
@Component
class BucketStore {

    private static final String INSERT = Sql.load(BucketStore.class, "insert_buckets");
    private static final String SETTLE_AND_COUNT =
            Sql.load(BucketStore.class, "settle_deliveries") + ";\n" + Sql.load(BucketStore.class, "count_room");
    private static final String OPEN = String.join(
            ";\n",
            Timeline.ENTER,
            Fence.SHARED,
            Timeline.READ,
            "select throttle_version from queue where id = ? and not paused",
            Sql.load(BucketStore.class, "lock_buckets"),
            SETTLE_AND_COUNT);
    private static final String CHARGE = Sql.load(BucketStore.class, "charge_buckets");
    private static final String REFUND = Sql.load(BucketStore.class, "refund_deliveries");

    /** What is settled is only a better bound: it need not survive a crash, and waits for no disk. */
    private static final String WITHOUT_WAITING = "set local synchronous_commit = off";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** No node claims further ahead, so no bucket has been granted from for a moment that is. */
    private static final Duration MAX_AHEAD = Duration.ofMinutes(1);

    private final Database database;
    private final Timeline timeline;

    BucketStore(Database database, Timeline timeline) {
        this.database = database;
        this.timeline = timeline;
    }

    /**
     * A record and the moment by which its messages have been sent.
     *
     * @param sentAt the same by this node's clock
     */
    record Settlement(Grant grant, OffsetDateTime sentBy, long sentAt) {

        /** The same, the record having another bound now. */
        Settlement boundBy(OffsetDateTime until) {
            Grant moved = new Grant(grant.bucket(), grant.g(), until, grant.record(), grant.count());
            return new Settlement(moved, sentBy, sentAt);
        }
    }

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

    /**
     * How a claim begins.
     *
     * @param clock what was known of the database's clock, which all that follows goes by
     * @param isCurrent the queue is as the claim believes; if not, the rest means nothing
     * @param locked the buckets that nobody else holds, locked until the transaction ends
     * @param settled the bounds of the records that were settled, by their ids
     * @param rooms the room of each bucket; those that do not exist are missing
     */
    record Opening(
            Bounds clock,
            boolean isCurrent,
            Set<UUID> locked,
            Map<Long, OffsetDateTime> settled,
            Map<UUID, Room> rooms) {}

    /**
     * Holds the timeline, takes the fence, checks the version (I4), locks buckets (I6), settles records of theirs and counts their room: statements
     * of their own, each newer than the locks before it, in one round trip.
     */
    Opening open(
            Connection connection,
            QueueRules rules,
            Collection<UUID> buckets,
            Map<UUID, OffsetDateTime> openings,
            Duration ahead,
            Collection<Settlement> settlements)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
            Array ids = connection.createArrayOf("uuid", buckets.toArray());
            statement.setLong(1, rules.queueId());
            statement.setLong(2, rules.queueId());
            statement.setArray(3, ids);
            bindSettlements(connection, statement, 4, settlements);
            bindCount(connection, statement, 9, buckets, openings, ahead);
            long sent = System.nanoTime();
            statement.execute();
            long received = System.nanoTime();
            statement.getMoreResults();
            statement.getMoreResults();
            Bounds clock;
            OffsetDateTime reading;
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                clock = timeline.admit(sent, row, 1, received);
                reading = row.getObject(1, OffsetDateTime.class);
            }
            statement.getMoreResults();
            boolean isCurrent = false;
            try (ResultSet row = statement.getResultSet()) {
                isCurrent = row.next() && row.getLong(1) == rules.version();
            }
            Set<UUID> locked = new HashSet<>();
            statement.getMoreResults();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    locked.add(rows.getObject(1, UUID.class));
                }
            }
            statement.getMoreResults();
            Map<Long, OffsetDateTime> settled = readBounds(statement);
            statement.getMoreResults();
            Map<UUID, Room> rooms = readRooms(statement);
            for (Room room : rooms.values()) {
                Timeline.requireNear(room.g(), reading, clock, MAX_AHEAD);
            }
            return new Opening(clock, isCurrent, locked, settled, rooms);
        }
    }

    /** Counts {@code counts} deliveries in the {@code rooms} that were counted, to have been sent within the bound. */
    List<Grant> charge(Connection connection, Map<UUID, Integer> counts, Map<UUID, Room> rooms, Duration bound)
            throws SQLException {
        List<Room> charged = rooms.values().stream()
                .filter(room -> counts.containsKey(room.bucket()))
                .toList();
        try (PreparedStatement statement = connection.prepareStatement(CHARGE)) {
            statement.setArray(1, array(connection, "uuid", charged, Room::bucket));
            statement.setArray(2, array(connection, "integer", charged, room -> counts.get(room.bucket())));
            statement.setArray(
                    3,
                    array(connection, "timestamptz", charged, room -> room.g().toString()));
            statement.setLong(4, bound.toNanos() / 1000);
            List<Grant> grants = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    UUID id = rows.getObject(1, UUID.class);
                    grants.add(new Grant(
                            id,
                            Objects.requireNonNull(rooms.get(id)).g(),
                            rows.getObject(2, OffsetDateTime.class),
                            rows.getLong(3),
                            rows.getInt(4)));
                }
            }
            return grants;
        }
    }

    /**
     * What came of settling.
     *
     * @param bounds of the records that were settled, by their ids; the others' buckets were locked by somebody else
     * @param rooms the room that is left in the buckets
     */
    record Settled(Map<Long, OffsetDateTime> bounds, Map<UUID, Room> rooms) {}

    /** Settles and refunds at once, in a transaction that waits for no lock and no disk; then counts the room that is left. */
    Settled settleNow(Collection<Settlement> settlements, Collection<Refund> refunds) {
        Set<UUID> buckets = new HashSet<>();
        settlements.forEach(settlement -> buckets.add(settlement.grant().bucket()));
        refunds.forEach(refund -> buckets.add(refund.grant().bucket()));
        return timeline.inTransaction("settle deliveries", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(WITHOUT_WAITING)) {
                statement.execute();
            }
            refund(connection, refunds);
            return settleAndCount(connection, settlements, buckets);
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

    private static Settled settleAndCount(
            Connection connection, Collection<Settlement> settlements, Collection<UUID> buckets) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SETTLE_AND_COUNT)) {
            bindSettlements(connection, statement, 1, settlements);
            bindCount(connection, statement, 6, buckets, Map.of(), Duration.ZERO);
            statement.execute();
            Map<Long, OffsetDateTime> bounds = readBounds(statement);
            statement.getMoreResults();
            return new Settled(bounds, readRooms(statement));
        }
    }

    private static void bindCount(
            Connection connection,
            PreparedStatement statement,
            int first,
            Collection<UUID> buckets,
            Map<UUID, OffsetDateTime> openings,
            Duration ahead)
            throws SQLException {
        statement.setLong(first, ahead.toNanos() / 1000);
        statement.setArray(first + 1, connection.createArrayOf("uuid", buckets.toArray()));
        statement.setArray(first + 2, array(connection, "timestamptz", buckets, bucket -> {
            OffsetDateTime opening = openings.get(bucket);
            return opening == null ? null : opening.toString();
        }));
    }

    private static void bindSettlements(
            Connection connection, PreparedStatement statement, int first, Collection<Settlement> settlements)
            throws SQLException {
        Array buckets = array(connection, "uuid", settlements, s -> s.grant().bucket());
        statement.setArray(first, buckets);
        statement.setArray(first + 1, buckets);
        statement.setArray(
                first + 2,
                array(
                        connection,
                        "timestamptz",
                        settlements,
                        s -> s.grant().until().toString()));
        statement.setArray(
                first + 3,
                array(connection, "bigint", settlements, s -> s.grant().record()));
        statement.setArray(
                first + 4,
                array(connection, "timestamptz", settlements, s -> s.sentBy().toString()));
    }

    private static Map<Long, OffsetDateTime> readBounds(PreparedStatement statement) throws SQLException {
        Map<Long, OffsetDateTime> bounds = new HashMap<>();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                bounds.put(rows.getLong(1), rows.getObject(2, OffsetDateTime.class));
            }
        }
        return bounds;
    }

    private static Map<UUID, Room> readRooms(PreparedStatement statement) throws SQLException {
        Map<UUID, Room> rooms = new HashMap<>();
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                UUID id = rows.getObject(1, UUID.class);
                int room = rows.getInt(3);
                OffsetDateTime roomAt = room > 0 ? null : rows.getObject(4, OffsetDateTime.class);
                rooms.put(id, new Room(id, rows.getObject(2, OffsetDateTime.class), room, roomAt, rows.getBoolean(5)));
            }
        }
        return rooms;
    }

    private static <T> Array array(
            Connection connection, String type, Collection<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
