package io.fila.broker.queue;

import java.util.List;
import java.util.Optional;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** The queues: declared, looked up, paused, purged, deleted. Safe for use by several threads; calls block on the database. */
public interface Queues {

    /** Creates the queue, or replaces its settings: what is absent takes its default. True if it was created. */
    boolean declare(QueueName name, SettingsChange settings);

    /** Changes the given settings of an existing queue and leaves the others. */
    Queue change(QueueName name, SettingsChange settings);

    Optional<Queue> find(QueueName name);

    Optional<Queue> find(long id);

    /** The queue, or {@code queue-not-found}. */
    default Queue get(QueueName name) {
        return find(name).orElseThrow(() -> notFound(name));
    }

    static ProblemException notFound(QueueName name) {
        return new ProblemException(
                ProblemCode.QUEUE_NOT_FOUND,
                "queue: there is no queue '%s'; create it with PUT /api/v1/queues/%s".formatted(name, name));
    }

    /** All queues but the dead letter queues, by name. */
    List<Queue> list();

    /** Removes the queue and its dead letter queue; {@code queue-not-empty} if they hold messages and {@code force} is false. */
    void delete(QueueName name, boolean force);

    /** Stops (or starts again) the delivery of this queue's messages. */
    void setPaused(QueueName name, boolean paused);

    /** Removes every message that is not leased; returns how many. */
    long purge(QueueName name);
}
