package io.fila.broker.message;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.queue.Queue;

/**
 * One checked enqueue on its way into a batch.
 *
 * @param isIndexed whether problems name the index of a message
 */
record EnqueueCall(
        Queue queue,
        List<NewMessage> messages,
        List<UUID> ids,
        boolean isIndexed,
        long weight,
        CompletableFuture<List<Enqueued>> answer)
        implements Batcher.Call {

    /** What a row costs besides its bytes. */
    private static final int ROW_WEIGHT = 500;

    static EnqueueCall of(Queue queue, List<NewMessage> messages, boolean isIndexed, long bytes) {
        List<UUID> ids = messages.stream()
                .map(message -> message.id() == null ? TimeOrderedIds.next() : message.id())
                .toList();
        return new EnqueueCall(
                queue,
                messages,
                ids,
                isIndexed,
                bytes + (long) ROW_WEIGHT * messages.size(),
                new CompletableFuture<>());
    }

    /** The same call, with its messages as they are to be stored. */
    EnqueueCall with(List<NewMessage> classified) {
        return new EnqueueCall(queue, classified, ids, isIndexed, weight, answer);
    }

    /** Calls of one queue that are stored together, in this order; each has its own answer. */
    static EnqueueCall joined(List<EnqueueCall> calls) {
        if (calls.size() == 1) {
            return calls.get(0);
        }
        EnqueueCall joined = new EnqueueCall(
                // what is known of the queue by the latest
                calls.get(calls.size() - 1).queue(),
                calls.stream().flatMap(call -> call.messages().stream()).toList(),
                calls.stream().flatMap(call -> call.ids().stream()).toList(),
                true,
                calls.stream().mapToLong(EnqueueCall::weight).sum(),
                new CompletableFuture<>());
        joined.answer().whenComplete((results, failure) -> {
            int from = 0;
            for (EnqueueCall call : calls) {
                int to = from + call.ids().size();
                if (failure != null) {
                    call.answer().completeExceptionally(failure);
                } else {
                    call.answer().complete(results.subList(from, to));
                }
                from = to;
            }
        });
        return joined;
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
