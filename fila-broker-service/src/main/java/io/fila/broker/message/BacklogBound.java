package io.fila.broker.message;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.RecentAnswers;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import org.springframework.stereotype.Component;

/**
 * Keeps queues that have a maximum backlog below it. What waits is counted at most once a second for such a queue, up to the
 * bound; in between, what this node has let through is added. So the bound may be passed by what other nodes store within a second.
 */
@Component
class BacklogBound {

    private static final Duration AGE = Duration.ofSeconds(1);
    private static final String COUNT =
            "select count(*) from (select 1 from message where queue_id = ? and state <> 3 limit ?) as waiting";

    private final Database database;
    private final RecentAnswers<Bounded, AtomicLong> counts =
            new RecentAnswers<>(AGE, 10_000, queue -> new AtomicLong(count(queue)));

    BacklogBound(Database database) {
        this.database = database;
    }

    private record Bounded(long id, QueueName name, long most) {}

    /** Lets {@code more} messages into the queue, or throws {@code queue-full}. */
    void admit(Queue queue, int more) {
        Long most = queue.settings().maxBacklog();
        if (most == null) {
            return;
        }
        AtomicLong waiting = counts.get(new Bounded(queue.id(), queue.name(), most));
        if (waiting.addAndGet(more) > most) {
            waiting.addAndGet(-more);
            throw new ProblemException(
                    ProblemCode.QUEUE_FULL,
                    "queue: '%s' holds as many waiting messages as its maxBacklog of %d allows; send again later"
                            .formatted(queue.name(), most),
                    AGE,
                    null);
        }
    }

    private long count(Bounded queue) {
        return database.lookUp("count the backlog of queue '" + queue.name() + "'", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
                statement.setLong(1, queue.id());
                statement.setLong(2, queue.most());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }
}
