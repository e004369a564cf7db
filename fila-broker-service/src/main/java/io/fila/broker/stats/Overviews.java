package io.fila.broker.stats;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import org.springframework.stereotype.Service;

/**
 * What an administrator sees first: queues with their statistics, throttles without their buckets. What was gone before it could be
 * looked at is left out of a list. Safe for use by several threads; calls block on the database.
 */
@Service
public class Overviews {

    private final Queues queues;
    private final Stats stats;

    Overviews(Queues queues, Stats stats) {
        this.queues = queues;
        this.stats = stats;
    }

    /** A queue and what is in it. */
    public record QueueOverview(Queue queue, QueueStats stats) {}

    /** The queue, which may be a dead letter queue, or {@code queue-not-found}. */
    public QueueOverview queue(QueueName name) {
        return new QueueOverview(queues.get(name), stats.queue(name));
    }

    /** All but the dead letter queues, by name. */
    public List<QueueOverview> queues() {
        return queues.list().stream()
                .map(queue ->
                        present(ProblemCode.QUEUE_NOT_FOUND, () -> new QueueOverview(queue, stats.queue(queue.name()))))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Those that are declared, or have deliveries in their window, by name. */
    public List<ThrottleStats> throttles() {
        return stats.throttles().stream()
                .map(name -> present(ProblemCode.THROTTLE_NOT_FOUND, () -> stats.throttle(name, 0)))
                .flatMap(Optional::stream)
                .toList();
    }

    private static <T> Optional<T> present(ProblemCode gone, Supplier<T> look) {
        try {
            return Optional.of(look.get());
        } catch (ProblemException e) {
            if (e.code() == gone) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
