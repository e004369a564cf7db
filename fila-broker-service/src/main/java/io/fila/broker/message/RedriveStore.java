package io.fila.broker.message;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.SettlementStore.Ready;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.Queues;
import org.springframework.stereotype.Component;

/**
 * Moves dead letters in the database, a bounded number in a transaction. Lock order: the queue's row, as an enqueue does, then the
 * messages by sequence, none of which it waits for.
 */
@Component
class RedriveStore {

    /** Short enough that enqueues of an ordered queue, which wait for a step, hardly notice. */
    static final int BATCH = 500;

    /** How often a step begins again since somebody enqueued an id at that moment: each time it knows one more. */
    private static final int TRIES = 10;

    private static final String ID_IS_TAKEN = "23505";

    private static final String LOCK_QUEUE = Sql.load(RedriveStore.class, "lock_queue");
    private static final String FIND = Sql.load(RedriveStore.class, "find_dead_letters");
    private static final String MOVE = Sql.load(RedriveStore.class, "redrive_messages");

    private final Database database;
    private final RedriveScripts scripts;

    RedriveStore(Database database, RedriveScripts scripts) {
        this.database = database;
        this.scripts = scripts;
    }

    /**
     * What one transaction did.
     *
     * @param last the dead letters up to this sequence have been looked at
     * @param unclassified how many of them the script did not answer for
     * @param rejected how many of them the queue cannot take
     */
    record Step(List<Ready> moved, int unclassified, int rejected, long last) {}

    /** Dead letters, of which {@code taken} are those whose ids the queue holds again. */
    private record Found(List<DeadLetter> letters, int taken, long last) {}

    /** Moves up to {@code most} of the dead letters that come next after a sequence, and not after another. */
    Step step(Queue queue, Reclassify reclassify, long after, long upTo, int most) {
        String activity = "redrive dead letters of queue '" + queue.name() + "'";
        if (!RedriveScripts.areRun(queue, reclassify)) {
            return move(activity, queue, scripts.classify(queue, reclassify, List.of()), after, upTo, most);
        }
        // scripts run before anything is locked; what comes up to there meanwhile has no answer and stays
        Found asked = database.run(activity, connection -> find(connection, queue, after, upTo, most));
        return move(activity, queue, scripts.classify(queue, reclassify, asked.letters()), after, asked.last(), most);
    }

    private Step move(
            String activity,
            Queue queue,
            Function<DeadLetter, Optional<DeadLetter>> classification,
            long after,
            long upTo,
            int most) {
        for (int tries = 1; ; tries++) {
            try {
                return database.inTransaction(activity, connection -> {
                    LaneKey laneKey = lock(connection, queue);
                    Found found = find(connection, queue, after, upTo, most);
                    List<DeadLetter> classified = found.letters().stream()
                            .map(classification)
                            .flatMap(Optional::stream)
                            .toList();
                    List<DeadLetter> accepted = classified.stream()
                            .filter(letter -> !isRefused(queue, letter))
                            .toList();
                    return new Step(
                            move(connection, queue, accepted, laneKey),
                            found.letters().size() - classified.size(),
                            found.taken() + classified.size() - accepted.size(),
                            found.last());
                });
            } catch (IdIsTakenException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Keeps the queue, and what else arrives in it if it is ordered. Reads the lane key: it may have changed since the queue was found. */
    private static LaneKey lock(Connection connection, Queue queue) throws SQLException {
        Ordering ordering = queue.settings().ordering();
        if (ordering != null) {
            EnqueueStore.takeTurns(connection, Set.of(queue.id()));
        }
        try (PreparedStatement statement = connection.prepareStatement(LOCK_QUEUE)) {
            statement.setLong(1, queue.id());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw EnqueueStore.queueIsGone(queue);
                }
                return LaneKey.of(List.of((String[]) row.getArray(1).getArray()), ordering);
            }
        }
    }

    private static Found find(Connection connection, Queue queue, long after, long upTo, int most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND)) {
            statement.setInt(1, Math.min(most, BATCH));
            statement.setLong(2, deadLetterId(queue));
            statement.setLong(3, after);
            statement.setLong(4, upTo);
            statement.setInt(5, BATCH);
            statement.setLong(6, queue.id());
            statement.setLong(7, deadLetterId(queue));
            List<DeadLetter> letters = new ArrayList<>();
            int taken = 0;
            long last = upTo;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long seen = row.getLong(1);
                    last = row.wasNull() ? upTo : seen;
                    long sequence = row.getLong(2);
                    if (row.wasNull()) {
                        continue;
                    }
                    if (row.getBoolean(3)) {
                        taken++;
                    } else {
                        letters.add(letter(sequence, row));
                    }
                }
            }
            return new Found(letters, taken, last);
        }
    }

    /** Whether an enqueue of it would be refused: it was sent to the dead letter queue without passing through the queue. */
    private static boolean isRefused(Queue queue, DeadLetter letter) {
        Ordering ordering = queue.settings().ordering();
        return ordering != null && ordering.whenKeyMissing() == WhenKeyMissing.REJECT && !ordering.hasKey(letter);
    }

    private static DeadLetter letter(long sequence, ResultSet row) throws SQLException {
        return new DeadLetter(
                sequence,
                row.getString(4),
                row.getInt(7),
                TextMaps.fromJson(row.getString(5)),
                TextMaps.fromJson(row.getString(6)),
                row.getInt(8),
                row.getBoolean(9));
    }

    private static List<Ready> move(Connection connection, Queue queue, List<DeadLetter> letters, LaneKey laneKey)
            throws SQLException {
        if (letters.isEmpty()) {
            return List.of();
        }
        Object[] sequences = letters.stream().map(DeadLetter::sequence).toArray();
        List<LaneKey.Place> places = letters.stream().map(laneKey::placeOf).toList();
        Object[] lanes = places.stream().map(LaneKey.Place::lane).toArray();
        Object[] ordered = places.stream().map(LaneKey.Place::isOrdered).toArray();
        try (PreparedStatement statement = connection.prepareStatement(MOVE)) {
            statement.setArray(1, connection.createArrayOf("bigint", sequences));
            statement.setArray(2, connection.createArrayOf("uuid", lanes));
            statement.setArray(3, connection.createArrayOf("boolean", ordered));
            statement.setArray(
                    4,
                    connection.createArrayOf(
                            "text",
                            letters.stream().map(DeadLetter::fairnessKey).toArray()));
            statement.setArray(
                    5,
                    connection.createArrayOf(
                            "integer", letters.stream().map(DeadLetter::weight).toArray()));
            statement.setArray(
                    6,
                    connection.createArrayOf(
                            "text",
                            letters.stream()
                                    .map(letter -> TextMaps.toJson(letter.attributes()))
                                    .toArray()));
            statement.setLong(7, queue.id());
            statement.setLong(8, deadLetterId(queue));
            List<Ready> moved = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    OffsetDateTime at = row.getObject(3, OffsetDateTime.class);
                    moved.add(new Ready(
                            queue.id(),
                            row.getObject(1, UUID.class),
                            row.getLong(2),
                            at == null ? null : at.toInstant()));
                }
            }
            return moved;
        } catch (SQLException e) {
            if (ID_IS_TAKEN.equals(e.getSQLState())) {
                throw new IdIsTakenException(queue, e);
            }
            throw e;
        }
    }

    private static long deadLetterId(Queue queue) {
        Long id = queue.deadLetterId();
        if (id == null) {
            throw Queues.notFound(queue.name());
        }
        return id;
    }

    /** An id came back to the queue after it had been looked for. */
    private static final class IdIsTakenException extends RuntimeException {
        IdIsTakenException(Queue queue, SQLException cause) {
            super(
                    "could not redrive to queue '%s', where ids of dead letters are stored again and again"
                            .formatted(queue.name()),
                    cause);
        }
    }
}
