package io.fila.broker.queue;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.springframework.stereotype.Component;

/**
 * Queues by name, at most a second old, for callers that cannot ask the database each time. Absent queues are not remembered: a
 * queue is found as soon as it is there.
 */
@Component
public class QueueDirectory {

    private final Queues queues;
    private final Cache<QueueName, Queue> known = Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterWrite(Duration.ofSeconds(1))
            .build();

    QueueDirectory(Queues queues) {
        this.queues = queues;
    }

    /** The queue, or {@code queue-not-found}. May block on the database. */
    public Queue get(QueueName name) {
        return known.get(name, queues::get);
    }

    /** Forgets what it knows of the queue. */
    public void forget(QueueName name) {
        known.invalidate(name);
    }
}
