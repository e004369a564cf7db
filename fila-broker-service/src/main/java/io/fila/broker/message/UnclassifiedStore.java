package io.fila.broker.message;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.NewMessage.Parking;
import io.fila.broker.message.SettlementStore.Ready;
import io.fila.broker.queue.Queue;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Messages that wait for a script to classify them. */
@Component
class UnclassifiedStore {

    private static final String TAKE_DUE = Sql.load(UnclassifiedStore.class, "take_unclassified");
    private static final String TAKE_OF_QUEUE = Sql.load(UnclassifiedStore.class, "take_unclassified_of_queue");
    private static final String NEXT = Sql.load(UnclassifiedStore.class, "find_next_unclassified");
    private static final String CLASSIFY = Sql.load(UnclassifiedStore.class, "classify_messages");
    private static final String POSTPONE = Sql.load(UnclassifiedStore.class, "postpone_unclassified");

    private final Database database;

    UnclassifiedStore(Database database) {
        this.database = database;
    }

    /** A message that was taken for a try, as far as scripts and lanes are concerned. */
    record Taken(
            long queueId,
            long sequence,
            @Nullable String fairnessKey,
            int weight,
            Map<String, String> headers,
            int payloadSize,
            int tries) {}

    /** What a message is, now that a script has said so. */
    record Classified(Taken message, @Nullable String fairnessKey, int weight, Map<String, String> attributes)
            implements Keyed {

        @Override
        public Map<String, String> headers() {
            return message.headers();
        }
    }

    /** @param why null if it was not tried, since it has been tried often enough */
    record Postponed(Taken message, @Nullable Parking why) {}

    /**
     * What a try came to.
     *
     * @param ready classified ones, and dead letters
     * @param dead how many went to the dead letter queue
     */
    record Tried(List<Ready> ready, int classified, int dead) {}

    /** Takes up to {@code most} messages whose try is due. */
    List<Taken> takeDue(int most) {
        return database.run("take unclassified messages", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(TAKE_DUE)) {
                statement.setInt(1, most);
                return taken(statement);
            }
        });
    }

    /** Takes up to {@code most} messages of a queue after a sequence, whenever they are due. */
    List<Taken> takeOf(long queueId, long after, int most) {
        return database.run("take unclassified messages", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(TAKE_OF_QUEUE)) {
                statement.setLong(1, queueId);
                statement.setLong(2, after);
                statement.setInt(3, most);
                return taken(statement);
            }
        });
    }

    /** When the next try is due. */
    DueStore.Due next() {
        return DueStore.due(database, NEXT);
    }

    /** Writes down what became of messages of one queue. */
    Tried finish(Queue queue, List<Classified> classified, List<Postponed> postponed) {
        return database.inTransaction("classify messages of queue '" + queue.name() + "'", connection -> {
            List<Ready> ready = new ArrayList<>();
            classify(connection, queue, classified, ready);
            int done = ready.size();
            int dead = postpone(connection, postponed, ready);
            return new Tried(ready, done, dead);
        });
    }

    private static void classify(Connection connection, Queue queue, List<Classified> classified, List<Ready> ready)
            throws SQLException {
        if (classified.isEmpty()) {
            return;
        }
        LaneKey laneKey = LaneKey.of(queue);
        List<LaneKey.Place> places = classified.stream().map(laneKey::placeOf).toList();
        try (PreparedStatement statement = connection.prepareStatement(CLASSIFY)) {
            statement.setArray(
                    1,
                    array(connection, "bigint", classified, one -> one.message().queueId()));
            statement.setArray(
                    2,
                    array(connection, "bigint", classified, one -> one.message().sequence()));
            statement.setArray(3, array(connection, "uuid", places, LaneKey.Place::lane));
            statement.setArray(4, array(connection, "boolean", places, LaneKey.Place::isOrdered));
            statement.setArray(5, array(connection, "text", classified, Classified::fairnessKey));
            statement.setArray(6, array(connection, "integer", classified, Classified::weight));
            statement.setArray(7, array(connection, "text", classified, one -> TextMaps.toJson(one.attributes())));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ready.add(ready(row));
                }
            }
        }
    }

    /** Returns how many went to the dead letter queue. */
    private static int postpone(Connection connection, List<Postponed> postponed, List<Ready> ready)
            throws SQLException {
        if (postponed.isEmpty()) {
            return 0;
        }
        int dead = 0;
        try (PreparedStatement statement = connection.prepareStatement(POSTPONE)) {
            statement.setArray(
                    1,
                    array(connection, "bigint", postponed, one -> one.message().queueId()));
            statement.setArray(
                    2,
                    array(connection, "bigint", postponed, one -> one.message().sequence()));
            statement.setArray(
                    3,
                    array(
                            connection,
                            "text",
                            postponed,
                            one -> one.why() == null ? null : one.why().reason()));
            statement.setArray(
                    4,
                    array(
                            connection,
                            "text",
                            postponed,
                            one -> one.why() == null ? null : one.why().error()));
            statement.setArray(
                    5,
                    array(
                            connection,
                            "integer",
                            postponed,
                            one -> one.why() != null && one.why().isTry() ? 1 : 0));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean(5)) {
                        dead++;
                        ready.add(ready(row));
                    }
                }
            }
        }
        return dead;
    }

    private static Ready ready(ResultSet row) throws SQLException {
        OffsetDateTime at = row.getObject(4, OffsetDateTime.class);
        return new Ready(
                row.getLong(1), row.getObject(3, UUID.class), row.getLong(2), at == null ? null : at.toInstant());
    }

    private static List<Taken> taken(PreparedStatement statement) throws SQLException {
        List<Taken> taken = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                taken.add(new Taken(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getInt(4),
                        TextMaps.fromJson(row.getString(5)),
                        row.getInt(6),
                        row.getInt(7)));
            }
        }
        return taken;
    }

    private static <T> Array array(
            Connection connection, String type, List<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
