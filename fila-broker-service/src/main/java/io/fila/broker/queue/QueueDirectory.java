package io.fila.broker.queue;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Queues by name and by id, at most a second old, for callers that cannot ask the database each time. Absent queues are not
 * remembered: a queue is found as soon as it is there.
 */
@Component
public class QueueDirectory {

    private static final Duration AGE = Duration.ofSeconds(1);
    private static final int SIZE = 10_000;

    private final Queues queues;
    private final Cache<QueueName, Queue> byName =
            Caffeine.newBuilder().maximumSize(SIZE).expireAfterWrite(AGE).build();
    private final Cache<Long, Queue> byId =
            Caffeine.newBuilder().maximumSize(SIZE).expireAfterWrite(AGE).build();

    QueueDirectory(Queues queues) {
        this.queues = queues;
    }

    /** The queue, or {@code queue-not-found}. May block on the database. */
    public Queue get(QueueName name) {
        return byName.get(name, queues::get);
    }

    /** The queue, or {@code queue-not-found}. May block on the database. */
    public Queue get(long id) {
        return byId.get(
                id,
                key -> queues.find(key)
                        .orElseThrow(() ->
                                new ProblemException(ProblemCode.QUEUE_NOT_FOUND, "queue: the queue was deleted")));
    }

    /** Forgets what it knows of the queue. */
    public void forget(QueueName name) {
        byName.invalidate(name);
    }
}
