package io.fila.client;

import java.util.List;
import java.util.Set;

import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;

/** The sends that share one request, in order. */
record EnqueueBatch(Outbox outbox, List<PendingSend<?>> sends) {

    private static final Set<String> CONCERNS_EVERY_MESSAGE = Set.of(
            "queue-not-found",
            "reserved-name",
            "unauthenticated",
            "forbidden",
            BrokerErrors.BROKER_ERROR,
            BrokerErrors.CLOSED);

    EnqueueRequest request() {
        EnqueueRequest.Builder request = EnqueueRequest.newBuilder().setQueue(outbox.queue());
        sends.forEach(send -> request.addAllMessages(send.messages()));
        return request.build();
    }

    /** The latest: a send whose own deadline is earlier is timed by itself, and must not take the younger ones with it. */
    long deadlineNanos() {
        // differences, since nanoTime may overflow
        long now = System.nanoTime();
        return now
                + sends.stream()
                        .mapToLong(send -> send.deadlineNanos() - now)
                        .max()
                        .orElse(0);
    }

    /** Whether some message of the batch may be guilty and the rest innocent. Nothing was stored: enqueue is all or none. */
    boolean mayHoldGuiltyMessage(FilaException problem) {
        return sends.size() > 1 && !problem.isRetryable() && !CONCERNS_EVERY_MESSAGE.contains(problem.code());
    }

    void complete(EnqueueResponse response) {
        List<SendResult> results = response.getResultsList().stream()
                .map(result -> new SendResult(result.getId(), result.getDuplicate()))
                .toList();
        int expected = sends.stream().mapToInt(send -> send.messages().size()).sum();
        if (results.size() != expected) {
            fail(new FilaException(
                    BrokerErrors.BROKER_ERROR,
                    "the broker answered " + results.size() + " results for " + expected + " messages sent to queue '"
                            + outbox.queue() + "'; they may have been stored",
                    false,
                    null));
            return;
        }
        int from = 0;
        for (PendingSend<?> send : sends) {
            int to = from + send.messages().size();
            send.complete(results.subList(from, to));
            from = to;
        }
    }

    void fail(FilaException problem) {
        sends.forEach(send -> send.fail(problem));
    }
}
