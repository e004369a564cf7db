package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import java.util.function.Function;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Fence;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.script.Hook;
import io.fila.broker.script.Scripts;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Writes the settings of queues, new ones and such that are there.
 *
 * <p>After a crash of the database, the throttles of queues with fast deliveries pause. So fast deliveries end only when none is under
 * way, or it might be forgotten later than their end: a change that ends them holds the queue's fence exclusively; no other waits for
 * claims, or keeps them waiting. And not between a crash and its being noticed: it holds the timeline. It names its columns: a row
 * also carries what others change meanwhile.
 */
@Component
class SettingsStore {

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
                dead_letter_retention_ms = ?,
                on_enqueue = ?,
                on_failure = ?,
                park_when_script_fails = ?,
                dead_letter_after = ?
            where id = ?
            """;

    private final QueueRepository repository;
    private final TransactionTemplate transaction;
    private final Timeline timeline;
    private final Scripts scripts;

    SettingsStore(QueueRepository repository, TransactionTemplate transaction, Timeline timeline, Scripts scripts) {
        this.repository = repository;
        this.transaction = transaction;
        this.timeline = timeline;
        this.scripts = scripts;
    }

    /** Throws {@code invalid-script} if one that is given can never work. */
    void requireValidScripts(SettingsChange change) {
        ScriptsChange given = change.scripts();
        if (given == null) {
            return;
        }
        if (given.onEnqueue() != null) {
            given.onEnqueue().ifPresent(source -> scripts.requireValid("onEnqueue", Hook.ON_ENQUEUE, source));
        }
        if (given.onFailure() != null) {
            given.onFailure().ifPresent(source -> scripts.requireValid("onFailure", Hook.ON_FAILURE, source));
        }
    }

    /** Creates a queue with its dead letter queue; false if somebody else created it first. */
    boolean create(QueueName name, QueueSettings settings) {
        try {
            transaction.executeWithoutResult(status -> {
                Long deadLetterId = repository
                        .save(QueueRow.of(name.deadLetter(), QueueSettings.DEFAULT, null))
                        .id();
                repository.save(QueueRow.of(name, settings, deadLetterId));
            });
            return true;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }

    /**
     * Replaces the settings by what {@code settings} makes of those that are there; {@code queue-not-found} if the queue is gone. Returns
     * the queue as it was.
     */
    Queue change(Queue queue, Function<Queue, QueueSettings> settings) {
        String activity = "change queue '" + queue.name() + "'";
        Optional<Queue> changed =
                timeline.inTransaction(activity, connection -> change(connection, queue, settings, false));
        return changed.orElseGet(() -> timeline.inTransaction(activity, connection -> {
            // before the queue's row, as everybody does
            Fence.exclusive(connection, queue.id());
            return change(connection, queue, settings, true).orElseThrow();
        }));
    }

    /** Returns the queue as it was; empty, and nothing has been done, if it would end fast deliveries without the fence. */
    private static Optional<Queue> change(
            Connection connection, Queue queue, Function<Queue, QueueSettings> settings, boolean isFenced)
            throws SQLException {
        Queue present = find(connection, queue);
        QueueSettings changed = settings.apply(present);
        if (!isFenced && isFast(present.settings()) && !isFast(changed)) {
            return Optional.empty();
        }
        update(connection, QueueRow.of(queue.name(), changed, null), queue.id());
        return Optional.of(present);
    }

    private static boolean isFast(QueueSettings settings) {
        return settings.deliveryDurability() == DeliveryDurability.FAST;
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

    private static void update(Connection connection, QueueRow row, long id) throws SQLException {
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
            statement.setString(10, row.onEnqueue());
            statement.setString(11, row.onFailure());
            statement.setBoolean(12, row.parkWhenScriptFails());
            statement.setObject(13, row.deadLetterAfter(), Types.INTEGER);
            statement.setLong(14, id);
            statement.executeUpdate();
        }
    }
}
