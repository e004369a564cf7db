package io.fila.broker.message;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.NewMessage.Parking;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stores batches of enqueues: one transaction, one statement, however many calls and queues. */
@Component
class EnqueueStore {

    private static final String INSERT = Sql.load(EnqueueStore.class, "insert_messages");
    private static final String WITHDRAW = Sql.load(EnqueueStore.class, "withdraw_dead_letters");
    private static final String TAKE_TURNS = Sql.load(EnqueueStore.class, "lock_ordered_queues");

    private final Database database;

    EnqueueStore(Database database) {
        this.database = database;
    }

    /** Where a message was stored. */
    record Stored(
            Key key,
            long sequence,
            UUID lane,
            MessageState state,
            @Nullable OffsetDateTime availableAt) {}

    /** What tells messages apart. */
    record Key(long queueId, UUID id) {}

    /** What was stored, and which queues there are. */
    record Outcome(Map<Key, Stored> stored, Set<Long> queues) {}

    Outcome insert(List<EnqueueCall> batch) {
        return database.inTransaction("store messages", connection -> insert(connection, batch));
    }

    private static Outcome insert(Connection connection, List<EnqueueCall> batch) throws SQLException {
        Columns columns = new Columns(batch);
        if (batch.stream().anyMatch(call -> call.queue().settings().ordering() != null)) {
            takeTurns(connection, columns.queueIds);
        }
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            columns.bind(connection, statement);
            Map<Key, Stored> stored = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Stored row = new Stored(
                            new Key(rows.getLong(2), rows.getObject(1, UUID.class)),
                            rows.getLong(3),
                            rows.getObject(4, UUID.class),
                            MessageState.values()[rows.getInt(5)],
                            rows.getObject(6, OffsetDateTime.class));
                    stored.put(row.key(), row);
                }
            }
            withdrawDeadLetters(connection, batch, stored);
            boolean allStored = stored.size() == columns.rows.size();
            return new Outcome(stored, allStored ? columns.queueIds : presentQueues(connection, columns.queueIds));
        }
    }

    /** What was stored although it was there before, and had become a dead letter meanwhile: it is a duplicate after all. */
    private static void withdrawDeadLetters(Connection connection, List<EnqueueCall> batch, Map<Key, Stored> stored)
            throws SQLException {
        List<Stored> doubtful = storedByGivenIds(batch, stored);
        if (doubtful.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(WITHDRAW)) {
            Object[] queueIds =
                    doubtful.stream().map(row -> row.key().queueId()).toArray();
            Object[] sequences = doubtful.stream().map(Stored::sequence).toArray();
            Object[] ids = doubtful.stream().map(row -> row.key().id()).toArray();
            statement.setArray(1, connection.createArrayOf("bigint", queueIds));
            statement.setArray(2, connection.createArrayOf("bigint", sequences));
            statement.setArray(3, connection.createArrayOf("uuid", ids));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    stored.remove(new Key(rows.getLong(1), rows.getObject(2, UUID.class)));
                }
            }
        }
    }

    /** Only ids that producers give can be there already. */
    private static List<Stored> storedByGivenIds(List<EnqueueCall> batch, Map<Key, Stored> stored) {
        List<Stored> found = new ArrayList<>();
        for (EnqueueCall call : batch) {
            for (NewMessage message : call.messages()) {
                Stored row = message.id() == null
                        ? null
                        : stored.get(new Key(call.queue().id(), message.id()));
                if (row != null) {
                    found.add(row);
                }
            }
        }
        return found;
    }

    /** Before anything of an ordered queue is stored. */
    static void takeTurns(Connection connection, Set<Long> queueIds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TAKE_TURNS)) {
            statement.setArray(1, connection.createArrayOf("bigint", queueIds.toArray()));
            statement.execute();
        }
    }

    /** Which of the queues there are: those of stored messages surely; a missing message does not say. */
    private static Set<Long> presentQueues(Connection connection, Set<Long> queueIds) throws SQLException {
        Set<Long> present = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement("select id from queue where id = any (?)")) {
            statement.setArray(1, connection.createArrayOf("bigint", queueIds.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    present.add(rows.getLong(1));
                }
            }
        }
        return present;
    }

    static ProblemException queueIsGone(Queue queue) {
        return new ProblemException(
                ProblemCode.QUEUE_NOT_FOUND,
                "queue: there is no queue '%s' any more; it was deleted".formatted(queue.name()));
    }

    /** The messages of a batch by column. */
    private static final class Columns {

        final Set<Long> queueIds = new HashSet<>();
        final List<@Nullable Object[]> rows = new ArrayList<>();

        Columns(List<EnqueueCall> batch) {
            for (EnqueueCall call : batch) {
                queueIds.add(call.queue().id());
                LaneKey laneKey = LaneKey.of(call.queue());
                for (int i = 0; i < call.messages().size(); i++) {
                    add(call, call.ids().get(i), laneKey, call.messages().get(i));
                }
            }
        }

        private void add(EnqueueCall call, UUID id, LaneKey laneKey, NewMessage message) {
            LaneKey.Place place = laneKey.placeOf(message);
            Parking parking = message.parking();
            rows.add(new @Nullable Object[] {
                id,
                call.queue().id(),
                place.lane(),
                message.notBefore() == null ? null : message.notBefore().toString(),
                message.delay() == null ? null : message.delay().toMillis(),
                message.weight(),
                message.fairnessKey(),
                TextMaps.toJson(message.headers()),
                (short) message.payload().kind().ordinal(),
                message.id() != null,
                // which group it is of is not known before it is classified
                place.isOrdered() && parking == null,
                TextMaps.toJson(message.attributes()),
                parking == null ? null : parking.reason(),
                parking == null ? null : parking.error(),
                parking != null && parking.isTry() ? 1 : 0,
                message.payload().bytes()
            });
        }

        void bind(Connection connection, PreparedStatement statement) throws SQLException {
            statement.setArray(1, connection.createArrayOf("bigint", queueIds.toArray()));
            String[] types = {
                "uuid",
                "bigint",
                "uuid",
                "timestamptz",
                "bigint",
                "integer",
                "text",
                "text",
                "smallint",
                "boolean",
                "boolean",
                "text",
                "text",
                "text",
                "integer"
            };
            for (int column = 0; column < types.length; column++) {
                statement.setArray(2 + column, column(connection, types[column], column));
            }
            byte[][] payloads =
                    rows.stream().map(row -> (byte[]) row[types.length]).toArray(byte[][]::new);
            statement.setArray(2 + types.length, connection.createArrayOf("bytea", payloads));
        }

        private Array column(Connection connection, String type, int column) throws SQLException {
            return connection.createArrayOf(
                    type, rows.stream().map(row -> row[column]).toArray());
        }
    }
}
