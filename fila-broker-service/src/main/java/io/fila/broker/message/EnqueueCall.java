package io.fila.broker.message;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.queue.Queue;

/** One checked enqueue on its way into a batch. */
record EnqueueCall(
        Queue queue, List<NewMessage> messages, List<UUID> ids, long weight, CompletableFuture<List<Enqueued>> answer)
        implements Batcher.Call {

    /** What a row costs besides its bytes. */
    private static final int ROW_WEIGHT = 500;

    static EnqueueCall of(Queue queue, List<NewMessage> messages, long bytes) {
        List<UUID> ids = messages.stream()
                .map(message -> message.id() == null ? TimeOrderedIds.next() : message.id())
                .toList();
        return new EnqueueCall(
                queue, messages, ids, bytes + (long) ROW_WEIGHT * messages.size(), new CompletableFuture<>());
    }

    @Override
    public void fail(RuntimeException problem) {
        answer.completeExceptionally(problem);
    }

    @Override
    public String inDoubt() {
        return "the database does not answer, so the messages may have been stored or not; send them again: what has an id"
                + " of your own is not stored again while its queue still holds it";
    }
}
