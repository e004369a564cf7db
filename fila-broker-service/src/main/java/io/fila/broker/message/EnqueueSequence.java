package io.fila.broker.message;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.queue.QueueName;

/**
 * The enqueues of one producer in the order in which it hands them over: of one queue, none is stored before one that was handed over
 * ahead of it. What comes while one is under way waits, and goes together. For use by one thread at a time.
 */
public interface EnqueueSequence extends AutoCloseable {

    /**
     * Like {@link Messages#enqueue}. A problem concerns this enqueue alone, but for {@code storage-unavailable} and {@code
     * rate-limited}: then the sequence is broken, and all that comes later or waits fails, too, so that it can be sent again in its order
     * (as another sequence). An enqueue that may have been stored or not may yet be stored after those.
     */
    CompletableFuture<List<Enqueued>> enqueue(QueueName queue, List<NewMessage> messages);

    /** Fails what waits; what is under way is stored or not. Nothing is taken any more. */
    @Override
    void close();
}
