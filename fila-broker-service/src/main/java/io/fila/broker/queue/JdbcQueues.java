package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Fence;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Service;

/** {@link Queues} in PostgreSQL. */
@Service
class JdbcQueues implements Queues {

    private final QueueRepository repository;
    private final Database database;
    private final Timeline timeline;
    private final SettingsStore settings;
    private final ObjectProvider<QueueChanges> listeners;
    private final ObjectProvider<QueueDeletion> deletions;

    JdbcQueues(
            QueueRepository repository,
            Database database,
            Timeline timeline,
            SettingsStore settings,
            ObjectProvider<QueueChanges> listeners,
            ObjectProvider<QueueDeletion> deletions) {
        this.repository = repository;
        this.database = database;
        this.timeline = timeline;
        this.settings = settings;
        this.listeners = listeners;
        this.deletions = deletions;
    }

    @Override
    public boolean declare(QueueName name, SettingsChange change) {
        QueueName.forCreation(name.value());
        settings.requireValidScripts(change);
        if (find(name).isEmpty() && settings.create(name, change.over(QueueSettings.DEFAULT))) {
            return true;
        }
        update(
                name,
                present -> change.over(
                        QueueSettings.defaultsWith(present.settings().ordering()), present));
        return false;
    }

    @Override
    public Queue change(QueueName name, SettingsChange change) {
        settings.requireValidScripts(change);
        return update(name, present -> change.over(present.settings(), present));
    }

    @Override
    public Optional<Queue> find(QueueName name) {
        return lookUp("select * from queue where name = ?", name.value());
    }

    @Override
    public Optional<Queue> find(long id) {
        return lookUp("select * from queue where id = ?", id);
    }

    @Override
    public List<Queue> list() {
        return repository.findAllButDeadLetters().stream()
                .map(QueueRow::toQueue)
                .toList();
    }

    @Override
    public void delete(QueueName name, boolean force) {
        Queue queue = get(name);
        Long deadLetterId = queue.deadLetterId();
        if (deadLetterId == null) {
            throw new ProblemException(
                    ProblemCode.RESERVED_NAME,
                    "queue: '%s' is a dead letter queue and goes with its queue; purge it instead".formatted(name));
        }
        if (force) {
            // the bulk of them, without the locks below
            database.run("empty queue '" + name + "'", connection -> {
                MessageRemoval.empty(connection, queue.id());
                MessageRemoval.empty(connection, deadLetterId);
                return true;
            });
        }
        Set<Long> affected = new HashSet<>();
        timeline.inTransaction("delete queue '" + name + "'", connection -> {
            Fence.exclusive(connection, queue.id());
            Fence.exclusive(connection, deadLetterId);
            for (QueueDeletion deletion : deletions) {
                affected.addAll(deletion.deleting(connection, List.of(queue.id(), deadLetterId)));
            }
            // an enqueue holds the row's key share until its messages are stored: it is seen below, or finds no queue
            update(
                    connection,
                    "select 1 from queue where id in (?, ?) order by id for update",
                    queue.id(),
                    deadLetterId);
            if (!force && holdsMessages(connection, queue.id(), deadLetterId)) {
                throw new ProblemException(
                        ProblemCode.QUEUE_NOT_EMPTY,
                        "queue: '%s' or its dead letter queue holds messages; purge them or delete with force=true"
                                .formatted(name));
            }
            update(connection, "delete from message where queue_id in (?, ?)", queue.id(), deadLetterId);
            update(connection, "delete from queue where id = ?", queue.id());
            update(connection, "delete from queue where id = ?", deadLetterId);
            return true;
        });
        tell(queue.id());
        tell(deadLetterId);
        affected.forEach(this::tell);
    }

    @Override
    public void setPaused(QueueName name, boolean paused) {
        Queue queue = get(name);
        repository.updatePaused(queue.id(), paused);
        tell(queue.id());
    }

    @Override
    public long purge(QueueName name) {
        Queue queue = get(name);
        return database.run("purge queue '" + name + "'", connection -> MessageRemoval.purge(connection, queue.id()));
    }

    /** An enqueue may wait for this, so that it must not take for ever. */
    private Optional<Queue> lookUp(String sql, Object key) {
        return database.lookUp("look up a queue", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setObject(1, key);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(QueueRow.of(row).toQueue()) : Optional.empty();
                }
            }
        });
    }

    private Queue update(QueueName name, Function<Queue, QueueSettings> change) {
        Queue before = settings.change(get(name), change);
        Queue changed = get(name);
        tell(changed.id());
        if (!before.settings().scripts().equals(changed.settings().scripts())) {
            listeners.forEach(listener -> listener.scriptsChanged(changed.id()));
        }
        return changed;
    }

    private void tell(long queueId) {
        listeners.forEach(listener -> listener.changed(queueId));
    }

    private static boolean holdsMessages(Connection connection, long queueId, long deadLetterId) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from message where queue_id in (?, ?) limit 1")) {
            statement.setLong(1, queueId);
            statement.setLong(2, deadLetterId);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void update(Connection connection, String sql, long... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setLong(i + 1, parameters[i]);
            }
            statement.execute();
        }
    }
}
