package io.fila.broker.pacing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import org.springframework.stereotype.Component;

/** The transaction that grants permits: a claim without messages, of one bucket. */
@Component
class PermitStore {

    /**
     * What a claim opens with, but for the fence: no queue is involved. Limits that changed are read with the room; a key that
     * changed is another bucket.
     */
    private static final String OPEN = String.join(
            ";\n",
            "select key = ?::text[] and ? <= all (limit_counts) from throttle where name = ?",
            Sql.load(PermitStore.class, "lock_buckets"),
            RoomCount.SETTLE_AND_COUNT);

    private final Timeline timeline;
    private final BucketStore buckets;

    PermitStore(Timeline timeline, BucketStore buckets) {
        this.timeline = timeline;
        this.buckets = buckets;
    }

    /** What came of a try. Only {@link Granted} changed anything. */
    sealed interface Tried {

        /** They are counted, to be handed over once the database's clock has reached the moment of the grant, by what is known of it. */
        record Granted(Grant grant, Bounds clock) implements Tried {}

        /** There is no room for all of them until then. */
        record Full(OffsetDateTime roomAt) implements Tried {}

        /** Somebody else holds the bucket. */
        record Busy() implements Tried {}

        /** The bucket is not there yet, or has been evicted. */
        record Missing() implements Tried {}

        /** The throttle is not what the caller believes. */
        record Stale() implements Tried {}
    }

    /**
     * Counts the permits in the bucket if all limits allow all of them, to have been handed over within the bound. Waits for no
     * lock.
     */
    Tried tryGrant(ActiveThrottle throttle, Bucket bucket, int permits, Duration bound) {
        return timeline.inTransaction("grant permits of throttle '" + throttle.name() + "'", connection -> {
            Opening opening = open(connection, throttle, bucket, permits);
            Room room = opening.rooms().get(bucket.id());
            if (!opening.isCurrent()) {
                return new Tried.Stale();
            }
            if (room == null) {
                return new Tried.Missing();
            }
            if (!opening.locked().contains(bucket.id())) {
                return new Tried.Busy();
            }
            if (room.room() < permits) {
                return new Tried.Full(Objects.requireNonNull(room.roomAt(), "a full bucket says when it has room"));
            }
            return new Tried.Granted(
                    buckets.charge(connection, Map.of(bucket.id(), permits), Map.of(bucket.id(), room), bound)
                            .get(0),
                    opening.clock());
        });
    }

    private Opening open(Connection connection, ActiveThrottle throttle, Bucket bucket, int permits)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "text",
                            throttle.key().stream().map(KeyComponent::toString).toArray()));
            statement.setInt(2, permits);
            statement.setString(3, throttle.name());
            statement.setArray(4, connection.createArrayOf("uuid", new Object[] {bucket.id()}));
            RoomCount.bind(
                    statement,
                    5,
                    List.of(),
                    new RoomCount.Asked(List.of(bucket.id()), Map.of(), Duration.ZERO, permits));
            // known, and not forgotten, while the timeline is held
            Bounds clock = Objects.requireNonNull(timeline.clock().bounds());
            long sent = System.nanoTime();
            statement.execute();
            return Opening.read(statement, clock, sent, row -> row.getBoolean(1), permits);
        }
    }
}
