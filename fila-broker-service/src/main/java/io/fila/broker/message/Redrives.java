package io.fila.broker.message;

import java.time.Duration;
import java.util.Objects;

import io.fila.broker.message.RedriveStore.Step;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import org.springframework.stereotype.Service;

/**
 * Moves dead letters back to their queue. Safe for use by several threads, on several nodes: concurrent redrives of one queue share
 * the work, and move each message once.
 *
 * <p>A redrive is many short transactions, so that it holds up nobody and no timeout ends it. What has been moved is announced and
 * stays moved, however it ends; what has not been is where it was.
 */
@Service
public class Redrives {

    /** How many messages a redrive moves unless it is told. */
    public static final int DEFAULT_COUNT = 1_000;

    /** How many messages a redrive moves at most. */
    public static final int MAX_COUNT = 100_000;

    private final Queues queues;
    private final RedriveStore store;
    private final DeadLetterStore deadLetters;
    private final DelayedPromoter promoter;
    private final MessageMeters meters;

    Redrives(
            Queues queues,
            RedriveStore store,
            DeadLetterStore deadLetters,
            DelayedPromoter promoter,
            MessageMeters meters) {
        this.queues = queues;
        this.store = store;
        this.deadLetters = deadLetters;
        this.promoter = promoter;
        this.meters = meters;
    }

    /**
     * Moves ready dead letters to the back of their queue, the oldest first: as new arrivals with the same id, no attempt made, one more
     * redrive, and not before the moment that their enqueue gave. They count in the queue's backlog, but its maximum refuses none
     * of them. Blocks for as long as it takes. Throws {@code invalid-request}, {@code queue-not-found} (also if the queue is deleted
     * meanwhile) or {@code storage-unavailable}, whose detail says how many had been moved.
     *
     * @param name of the queue, or of its dead letter queue
     * @param count the most that are moved, 1 to {@link #MAX_COUNT}
     * @param reclassify for which of them the queue's script is run again: a message for which it fails stays. All three are the
     *     same for a queue without a script
     */
    public Redriven redrive(QueueName name, int count, Reclassify reclassify) {
        if (count < 1 || count > MAX_COUNT) {
            throw ProblemException.invalid("count: expected 1 to %d, got %d".formatted(MAX_COUNT, count));
        }
        Queue queue = queues.get(name.withoutDeadLetter());
        long deadLetterId = Objects.requireNonNull(queue.deadLetterId());
        Progress progress = new Progress();
        try {
            move(queue, count, reclassify, deadLetters.last(deadLetterId), progress);
            return new Redriven(
                    progress.moved, deadLetters.count(deadLetterId, progress.unclassified, progress.rejected));
        } catch (ProblemException e) {
            throw progress.moved > 0 && e.code() == ProblemCode.STORAGE_UNAVAILABLE ? cutOff(progress.moved, e) : e;
        }
    }

    /** Up to {@code last} only: what is dead-lettered from here on might be what has just been moved. */
    private void move(Queue queue, int count, Reclassify reclassify, long last, Progress progress) {
        long after = 0;
        while (progress.moved < count && after < last) {
            Step step = store.step(queue, reclassify, after, last, count - progress.moved);
            promoter.announce(step.moved());
            meters.redriven(queue.name(), step.moved().size());
            progress.moved += step.moved().size();
            progress.unclassified += step.unclassified();
            progress.rejected += step.rejected();
            after = step.last();
        }
    }

    private static ProblemException cutOff(int moved, ProblemException cause) {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "the database was lost after %d messages had been moved, and perhaps some more; redrive again for the others"
                        .formatted(moved),
                Duration.ofSeconds(1),
                cause);
    }

    /** How far a redrive has come. */
    private static final class Progress {
        int moved;
        long unclassified;
        long rejected;
    }
}
