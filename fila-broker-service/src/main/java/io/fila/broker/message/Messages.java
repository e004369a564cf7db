package io.fila.broker.message;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/** Messages of queues: stored, looked at, cancelled. Safe for use by several threads. */
public interface Messages {

    /** How many messages a page has unless its reader says otherwise. */
    int USUAL_PAGE = 50;

    /** The most that a page can be asked to have. */
    int LARGEST_PAGE = 1000;

    /**
     * Stores messages durably, all or none; one answer each, in order. Concurrent calls share a statement. Completes with
     * {@code ProblemException}: {@code invalid-request} (naming the index, if {@code indexed}),
     * {@code payload-too-large}, {@code queue-not-found}, {@code queue-full}, {@code rate-limited} or {@code storage-unavailable}
     * (within 5 s; the detail says whether they may have been stored). May block as long to look up the queue.
     */
    CompletableFuture<List<Enqueued>> enqueue(QueueName queue, List<NewMessage> messages, boolean indexed);

    /** Stores messages; problems name the index if there is more than one. */
    default CompletableFuture<List<Enqueued>> enqueue(QueueName queue, List<NewMessage> messages) {
        return enqueue(queue, messages, messages.size() > 1);
    }

    /** Begins the enqueues of a producer that wants them stored in the order in which it hands them over. */
    EnqueueSequence sequence();

    /** The message, or {@code message-not-found}. */
    MessageView get(UUID id);

    /**
     * A page of a queue's messages in the order of their arrival: at most {@code limit}, and fewer if their payloads are large.
     *
     * @param state null: all; {@code THROTTLED} is refused here, see the statistics
     * @param limit 1 to {@value #LARGEST_PAGE}
     * @param after the cursor of the page before; null: the first
     */
    Page list(QueueName queue, @Nullable MessageState state, int limit, @Nullable String after);

    /**
     * Removes a message that is not leased; {@code message-leased}, {@code message-not-found}, or {@code message-ambiguous} if several
     * queues hold one of this id.
     *
     * @param queue null: whichever holds it
     */
    void cancel(UUID id, @Nullable QueueName queue);

    /** Messages and the cursor of the next page, if there may be one: also where this one is short or empty. */
    record Page(List<MessageView> messages, @Nullable String next) {}
}
