package io.fila.fake;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fila.client.Delivery;
import io.fila.client.FilaMessage;
import io.fila.client.Nack;
import io.fila.client.Payload;

/** A delivery that remembers how it is settled: {@code ack}, {@code release}, or the nack. */
public final class FakeDelivery implements Delivery {

    private final FilaMessage message;
    private final Duration visibilityTimeout;
    public final List<Object> settlements = new CopyOnWriteArrayList<>();
    public final List<Duration> extensions = new CopyOnWriteArrayList<>();
    public volatile CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(true);

    public FakeDelivery(String queue, String text) {
        this(queue, Payload.text(text), Map.of(), Duration.ofSeconds(30));
    }

    public FakeDelivery(String queue, Payload payload, Map<String, String> headers, Duration visibilityTimeout) {
        this.message = new FilaMessage(
                UUID.randomUUID().toString(), queue, payload, headers, null, Map.of(), 1, 0, Instant.now());
        this.visibilityTimeout = visibilityTimeout;
    }

    @Override
    public FilaMessage message() {
        return message;
    }

    @Override
    public Instant leaseExpiresAt() {
        // by another machine's clock
        return Instant.EPOCH;
    }

    @Override
    public Duration visibilityTimeout() {
        return visibilityTimeout;
    }

    @Override
    public CompletableFuture<Boolean> ack() {
        settlements.add("ack");
        return answer;
    }

    @Override
    public CompletableFuture<Boolean> nack(Nack nack) {
        settlements.add(nack);
        return answer;
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration by) {
        extensions.add(by);
        return answer;
    }

    @Override
    public CompletableFuture<Boolean> release() {
        settlements.add("release");
        return answer;
    }
}
