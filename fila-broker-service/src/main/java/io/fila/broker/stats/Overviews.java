package io.fila.broker.stats;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.script.Hook;
import io.fila.broker.script.Scripts;
import org.springframework.stereotype.Service;

/**
 * What an administrator sees first: queues with their statistics, throttles without their buckets. What was gone before it could be
 * looked at is left out of a list. Safe for use by several threads; calls block on the database.
 */
@Service
public class Overviews {

    private final Queues queues;
    private final Stats stats;
    private final Scripts scripts;

    Overviews(Queues queues, Stats stats, Scripts scripts) {
        this.queues = queues;
        this.stats = stats;
        this.scripts = scripts;
    }

    /**
     * A queue and what is in it.
     *
     * @param pausedScripts those that this node does not run for now, since they kept timing out, and until when it does not
     */
    public record QueueOverview(Queue queue, QueueStats stats, Map<Hook, Instant> pausedScripts) {}

    /** The queue, which may be a dead letter queue, or {@code queue-not-found}. */
    public QueueOverview queue(QueueName name) {
        return overview(queues.get(name));
    }

    /** All but the dead letter queues, by name. */
    public List<QueueOverview> queues() {
        return queues.list().stream()
                .map(queue -> present(ProblemCode.QUEUE_NOT_FOUND, () -> overview(queue)))
                .flatMap(Optional::stream)
                .toList();
    }

    private QueueOverview overview(Queue queue) {
        return new QueueOverview(queue, stats.queue(queue.name()), scripts.paused(queue.id()));
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
