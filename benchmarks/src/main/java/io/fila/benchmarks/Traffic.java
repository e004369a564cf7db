package io.fila.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaSubscription;
import io.fila.client.OutgoingMessage;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;

/** A consumer that acknowledges at once, and counts; and messages for it. Safe for use by several threads. */
final class Traffic implements AutoCloseable {

    private static final int AT_ONCE = 1_000;

    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final CompletableFuture<Long> first = new CompletableFuture<>();
    private final FilaSubscription subscription;

    private Traffic(FilaClient client, String queue, List<ThrottleSpec> throttles) {
        CompletableFuture<FilaSubscription> self = new CompletableFuture<>();
        this.subscription =
                client.subscribe(new SubscriptionSpec(queue, "benchmark", throttles), new SubscriptionListener() {
                    @Override
                    public void onDelivery(Delivery delivery) {
                        first.complete(System.nanoTime());
                        handled.incrementAndGet();
                        delivery.ack().thenRun(() -> {
                            acknowledged.incrementAndGet();
                            self.thenAccept(one -> one.request(1));
                        });
                    }
                });
        self.complete(subscription);
    }

    /** Subscribes; nothing is delivered before {@link #request}. */
    static Traffic consume(FilaClient client, String queue, ThrottleSpec... throttles) {
        return new Traffic(client, queue, List.of(throttles));
    }

    static void send(FilaClient client, String queue, long count, LongFunction<OutgoingMessage> message) {
        for (long sent = 0; sent < count; sent += AT_ONCE) {
            List<OutgoingMessage> batch = new ArrayList<>();
            for (long i = sent; i < Math.min(count, sent + AT_ONCE); i++) {
                batch.add(message.apply(i));
            }
            client.sendAll(queue, batch);
        }
    }

    /** From now on so many may be on their way or unacknowledged at a time. */
    void request(int credit) {
        subscription.request(credit);
    }

    long handled() {
        return handled.get();
    }

    long acknowledged() {
        return acknowledged.get();
    }

    /** When the first was delivered. */
    CompletableFuture<Long> first() {
        return first;
    }

    @Override
    public void close() {
        subscription.close();
    }
}
