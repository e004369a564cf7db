package io.fila.broker.message;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.Redriven.Kept;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Counts dead letters, and removes those whose retention has passed, by the database's clock. */
@Component
class DeadLetterStore {

    /** A statement's worth: so many row locks are held for some milliseconds. */
    static final int BATCH = 1_000;

    private static final String LAST = "select coalesce(max(sequence), 0) from message where queue_id = ?";
    private static final String COUNT = Sql.load(DeadLetterStore.class, "count_dead_letters");
    private static final String FIND = Sql.load(DeadLetterStore.class, "find_expired_dead_letters");
    private static final String REMOVE = Sql.load(DeadLetterStore.class, "remove_expired_dead_letters");

    private final Database database;

    DeadLetterStore(Database database) {
        this.database = database;
    }

    /**
     * Where to look for dead letters to remove.
     *
     * @param queueId of the queue whose dead letters they are
     * @param deadLetters the name of its dead letter queue
     * @param after look at those with a higher sequence
     */
    record Place(long queueId, QueueName deadLetters, long after) {}

    /** @param next where there may be more; null if there are none */
    record Removed(int count, @Nullable Place next) {}

    /** The last sequence in a dead letter queue; 0 if it is empty. */
    long last(long queueId) {
        return database.run("find the last dead letter", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LAST)) {
                statement.setLong(1, queueId);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    /**
     * Counts all that a dead letter queue holds, of which so many ready ones are unclassified, and so many have been rejected: fewer, if
     * some of these are gone by now.
     */
    Kept count(long queueId, long unclassified, long rejected) {
        return database.run("count dead letters", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                for (int i = 1; i <= 3; i++) {
                    statement.setLong(i, queueId);
                }
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    long ready = row.getLong(1);
                    long parked = Math.min(unclassified, ready);
                    long refused = Math.min(rejected, ready - parked);
                    return new Kept(
                            row.getLong(3) + parked, refused, row.getLong(4), row.getLong(2), ready - parked - refused);
                }
            }
        });
    }

    /** Where there is something to remove: the oldest dead letter of a queue tells. */
    List<Place> find() {
        return database.run("find dead letters to remove", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(FIND);
                    ResultSet row = statement.executeQuery()) {
                List<Place> places = new ArrayList<>();
                while (row.next()) {
                    places.add(new Place(row.getLong(1), new QueueName(row.getString(2)), 0));
                }
                return places;
            }
        });
    }

    /** Removes what is to be removed of the next batch. */
    Removed remove(Place place) {
        return database.run("remove dead letters of '" + place.deadLetters() + "'", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
                statement.setInt(1, BATCH);
                statement.setLong(2, place.queueId());
                statement.setLong(3, place.after());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    int count = row.getInt(1);
                    long next = row.getLong(2);
                    return new Removed(
                            count, row.wasNull() ? null : new Place(place.queueId(), place.deadLetters(), next));
                }
            }
        });
    }
}
