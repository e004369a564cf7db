package io.fila.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.fila.protocol.v1.OutgoingMessage;

/** Messages of one caller that travel in one request, and the future that the caller holds. */
final class PendingSend<T> {

    private final List<OutgoingMessage> messages;
    private final Function<List<SendResult>, T> shape;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long deadlineNanos;
    private final long bytes;

    private PendingSend(List<OutgoingMessage> messages, Function<List<SendResult>, T> shape, long deadlineNanos) {
        this.messages = messages;
        this.shape = shape;
        this.deadlineNanos = deadlineNanos;
        this.bytes =
                messages.stream().mapToLong(OutgoingMessage::getSerializedSize).sum();
    }

    static PendingSend<SendResult> one(OutgoingMessage message, long deadlineNanos) {
        return new PendingSend<>(List.of(message), results -> results.get(0), deadlineNanos);
    }

    static PendingSend<List<SendResult>> all(List<OutgoingMessage> messages, long deadlineNanos) {
        return new PendingSend<>(messages, List::copyOf, deadlineNanos);
    }

    List<OutgoingMessage> messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    /** In the terms of {@link System#nanoTime()}. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    /** Timed out, or cancelled by its caller: there is no use in sending it. */
    boolean isAbandoned() {
        return answer.isDone();
    }

    void complete(List<SendResult> results) {
        answer.complete(shape.apply(results));
    }

    void fail(FilaException problem) {
        answer.completeExceptionally(problem);
    }
}
