package io.fila.broker.queue;

import java.time.Duration;

import io.fila.broker.jdbc.RecentAnswers;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Queues by name and by id, at most a second old, for callers that cannot ask the database each time. Absent queues are not
 * remembered: a queue is found as soon as it is there.
 */
@Component
public class QueueDirectory implements QueueChanges {

    private static final Duration AGE = Duration.ofSeconds(1);
    private static final int SIZE = 10_000;

    private final RecentAnswers<QueueName, Queue> byName;
    private final RecentAnswers<Long, Queue> byId;

    QueueDirectory(Queues queues) {
        this.byName = new RecentAnswers<>(AGE, SIZE, queues::get);
        this.byId = new RecentAnswers<>(
                AGE,
                SIZE,
                id -> queues.find(id)
                        .orElseThrow(() ->
                                new ProblemException(ProblemCode.QUEUE_NOT_FOUND, "queue: the queue was deleted")));
    }

    /** The queue, or {@code queue-not-found}. May block on the database. */
    public Queue get(QueueName name) {
        return byName.get(name);
    }

    /** The queue, or {@code queue-not-found}. May block on the database. */
    public Queue get(long id) {
        return byId.get(id);
    }

    /** Forgets what it knows of the queue. */
    public void forget(QueueName name) {
        byName.forget(name);
    }

    /** So that who changes a queue finds it changed, at this node. */
    @Override
    public void changed(long queueId) {
        byId.forget(queueId);
        byName.forgetIf(queue -> queue.id() == queueId);
    }
}
