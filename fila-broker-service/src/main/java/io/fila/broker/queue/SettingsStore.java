package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.function.Function;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Fence;

/**
 * Changes settings of queues that are there.
 *
 * <p>After a crash of the database, the throttles of queues with fast deliveries pause. So fast deliveries end only when none is under
 * way, or it might be forgotten later than their end: a change holds the queue's fence exclusively. And not between a crash and its
 * being noticed: it holds the timeline. It names its columns: a row also carries what others change meanwhile.
 */
final class SettingsStore {

    /** Locked, so that a change made meanwhile is merged with this one and not undone by it; enqueues, which share its key, do not wait. */
    private static final String FIND = "select * from queue where id = ? for no key update";

    private static final String UPDATE = """
            update queue
            set visibility_timeout_ms = ?,
                max_attempts = ?,
                initial_backoff_ms = ?,
                backoff_multiplier = ?,
                max_backoff_ms = ?,
                backoff_jitter = ?,
                max_backlog = ?,
                fast_delivery = ?,
                dead_letter_retention_ms = ?
            where id = ?
            """;

    private final Timeline timeline;

    SettingsStore(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Replaces the settings by what {@code settings} makes of those that are there; {@code queue-not-found} if the queue is gone. */
    void change(Queue queue, Function<Queue, QueueSettings> settings) {
        timeline.inTransaction("change queue '" + queue.name() + "'", connection -> {
            Fence.exclusive(connection, queue.id());
            Queue present = find(connection, queue);
            return update(connection, QueueRow.of(queue.name(), settings.apply(present), null), queue.id());
        });
    }

    private static Queue find(Connection connection, Queue queue) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND)) {
            statement.setLong(1, queue.id());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw Queues.notFound(queue.name());
                }
                return QueueRow.of(row).toQueue();
            }
        }
    }

    private static int update(Connection connection, QueueRow row, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UPDATE)) {
            statement.setLong(1, row.visibilityTimeoutMs());
            statement.setInt(2, row.maxAttempts());
            statement.setLong(3, row.initialBackoffMs());
            statement.setDouble(4, row.backoffMultiplier());
            statement.setLong(5, row.maxBackoffMs());
            statement.setDouble(6, row.backoffJitter());
            statement.setObject(7, row.maxBacklog(), Types.BIGINT);
            statement.setBoolean(8, row.fastDelivery());
            statement.setObject(9, row.deadLetterRetentionMs(), Types.BIGINT);
            statement.setLong(10, id);
            return statement.executeUpdate();
        }
    }
}
