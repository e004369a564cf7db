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

    /**
     * The version, in a transaction that does not wait for the disk if the queue has fast deliveries. That is decided here, under the
     * fence: whoever ends fast deliveries waits for the claims that are.
     */
    private static final String RULES = """
            select throttle_version, case when fast_delivery then set_config('synchronous_commit', 'off', true) end
            from queue
            where id = ?
              and not paused
            """;

    private static final String OPEN = String.join(
            ";\n",
            Timeline.ENTER,
            Fence.SHARED,
            Timeline.READ,
            RULES,
            Sql.load(BucketStore.class, "lock_buckets"),
            RoomCount.SETTLE_AND_COUNT);
    private static final String CHARGE = Sql.load(BucketStore.class, "charge_buckets");
    private static final String REFUND = Sql.load(BucketStore.class, "refund_deliveries");

    /** What is settled is mostly a better bound, which need not survive a crash, and waits for no disk. */
    private static final String WITHOUT_WAITING = "set local synchronous_commit = off";

    private static final JsonMapper JSON = JsonMapper.builder().build();

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

        /** Whether they were sent later than was recorded. */
        boolean isLater() {
            return sentBy.isAfter(grant.until());
        }

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
     * Holds the timeline, takes the fence, checks the version (I4), locks buckets (I6), settles records of theirs and counts their room: statements
     * of their own, each newer than the locks before it, in one round trip. The transaction is fast if the queue's deliveries are.
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
            RoomCount.bind(statement, 4, settlements, new RoomCount.Asked(buckets, openings, ahead, 1));
            long sent = System.nanoTime();
            statement.execute();
            long received = System.nanoTime();
            statement.getMoreResults();
            statement.getMoreResults();
            Bounds clock;
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                clock = timeline.admit(sent, row, 1, received);
            }
            statement.getMoreResults();
            return Opening.read(statement, clock, sent, row -> row.getLong(1) == rules.version(), 1);
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
            // a node that stalled at the very hand-over knows of a later one than was recorded: that is not to be
            // forgotten
            if (settlements.stream().noneMatch(Settlement::isLater)) {
                try (PreparedStatement statement = connection.prepareStatement(WITHOUT_WAITING)) {
                    statement.execute();
                }
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
        try (PreparedStatement statement = connection.prepareStatement(RoomCount.SETTLE_AND_COUNT)) {
            RoomCount.bind(statement, 1, settlements, new RoomCount.Asked(buckets, Map.of(), Duration.ZERO, 1));
            statement.execute();
            Map<Long, OffsetDateTime> bounds = RoomCount.readBounds(statement);
            statement.getMoreResults();
            return new Settled(bounds, RoomCount.readRooms(statement, 1));
        }
    }

    static <T> Array array(Connection connection, String type, Collection<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
