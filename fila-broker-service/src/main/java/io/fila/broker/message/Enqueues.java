package io.fila.broker.message;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.jdbc.Database;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.queue.QueueName;
import org.springframework.stereotype.Component;

/** What producers send: checked, classified by their queue's script, and stored, many calls at a time. Safe for use by several threads. */
@Component
class Enqueues {

    private static final Batcher.Bounds BOUNDS = new Batcher.Bounds(2, 4L << 20, 64L << 20, Database.PATIENCE);
    private static final Batcher.Bounds ORDERED_BOUNDS = new Batcher.Bounds(1, 4L << 20, 64L << 20, Database.PATIENCE);

    private final QueueDirectory queues;
    private final MessageCheck check;
    private final BacklogBound backlogs;
    private final Classifier classifier;
    private final Batcher<EnqueueCall> batcher;

    /** Apart from the others: arrivals in an ordered queue take turns with those of other nodes, and nobody else waits for that. */
    private final Batcher<EnqueueCall> orderedBatcher;

    private final EnqueueWaitingRoom waitingRoom = new EnqueueWaitingRoom(BOUNDS.waitingWeight());

    Enqueues(
            QueueDirectory queues,
            MessageCheck check,
            BacklogBound backlogs,
            Classifier classifier,
            EnqueueStore store,
            Arrivals arrivals) {
        this.queues = queues;
        this.check = check;
        this.backlogs = backlogs;
        this.classifier = classifier;
        Batcher.Work<EnqueueCall> work = batch -> arrivals.announce(batch, store.insert(batch));
        this.batcher = new Batcher<>("enqueue", BOUNDS, work);
        this.orderedBatcher = new Batcher<>("enqueue-ordered", ORDERED_BOUNDS, work);
    }

    /** See {@link Messages#enqueue}. */
    CompletableFuture<List<Enqueued>> enqueue(QueueName name, List<NewMessage> messages, boolean indexed) {
        try {
            EnqueueCall call = prepare(name, messages, indexed);
            // a call that is not classified is not stored, and its caller is told why
            return classifier.classify(call).thenCompose(classified -> {
                submit(classified);
                return classified.answer();
            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** See {@link Messages#sequence}. */
    EnqueueSequence sequence() {
        return new EnqueueLines(
                (name, messages) -> prepare(name, messages, messages.size() > 1),
                classifier::classify,
                this::submit,
                waitingRoom);
    }

    private void submit(EnqueueCall call) {
        (call.queue().settings().ordering() == null ? batcher : orderedBatcher).submit(call);
    }

    private EnqueueCall prepare(QueueName name, List<NewMessage> messages, boolean indexed) {
        long bytes = check.requireValid(messages, indexed);
        Queue queue = queues.get(name);
        if (queue.settings().scripts().onEnqueue() == null) {
            // or else it may be a script's attributes that messages are ordered by
            MessageCheck.requireOrderingKey(queue, messages, indexed);
        }
        backlogs.admit(queue, messages.size());
        return EnqueueCall.of(queue, messages, indexed, bytes);
    }

    @PreDestroy
    void close() {
        batcher.close();
        orderedBatcher.close();
    }
}
