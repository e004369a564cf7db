package io.fila.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.fila.client.FilaAdmin;
import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.FilaSubscription;
import io.fila.client.OutgoingMessage;
import io.fila.client.PermitResult;
import io.fila.client.QueueSpec;
import io.fila.client.SendResult;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;

import static org.mockito.Mockito.mock;

/** A client without a broker: remembers what it is asked for, and lets a test play the broker's part. */
public final class FakeClient implements FilaClient {

    public record Sent(String queue, OutgoingMessage message) {}

    public record Asked(String throttle, List<String> key, int permits) {}

    public final List<Sent> sent = new CopyOnWriteArrayList<>();
    public final List<QueueSpec> declared = new CopyOnWriteArrayList<>();
    public final List<FakeSubscription> subscriptions = new CopyOnWriteArrayList<>();
    public volatile Function<QueueSpec, FilaException> declarationProblem = queue -> null;
    public volatile Function<Asked, PermitResult> onPermits = asked -> new PermitResult(null);
    public final FilaAdmin admin = mock(FilaAdmin.class);
    public volatile boolean closed;

    @Override
    public SendResult send(String queue, OutgoingMessage message) {
        sent.add(new Sent(queue, message));
        String id = message.id() == null ? UUID.randomUUID().toString() : message.id();
        return new SendResult(id, false);
    }

    @Override
    public List<SendResult> sendAll(String queue, List<OutgoingMessage> messages) {
        List<SendResult> results = new ArrayList<>();
        messages.forEach(message -> results.add(send(queue, message)));
        return results;
    }

    @Override
    public CompletableFuture<SendResult> sendAsync(String queue, OutgoingMessage message) {
        return CompletableFuture.completedFuture(send(queue, message));
    }

    @Override
    public CompletableFuture<List<SendResult>> sendAllAsync(String queue, List<OutgoingMessage> messages) {
        return CompletableFuture.completedFuture(sendAll(queue, messages));
    }

    @Override
    public boolean declareQueue(QueueSpec queue) {
        FilaException problem = declarationProblem.apply(queue);
        if (problem != null) {
            throw problem;
        }
        declared.add(queue);
        return true;
    }

    @Override
    public PermitResult tryAcquire(String throttle, List<String> key, int permits) {
        return onPermits.apply(new Asked(throttle, key, permits));
    }

    @Override
    public CompletableFuture<PermitResult> tryAcquireAsync(String throttle, List<String> key, int permits) {
        return CompletableFuture.completedFuture(tryAcquire(throttle, key, permits));
    }

    @Override
    public FilaSubscription subscribe(SubscriptionSpec spec, SubscriptionListener listener) {
        FakeSubscription subscription = new FakeSubscription(spec, listener);
        subscriptions.add(subscription);
        return subscription;
    }

    @Override
    public FilaAdmin admin() {
        return admin;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** The latest subscription. */
    public FakeSubscription subscription() {
        return subscriptions.get(subscriptions.size() - 1);
    }
}
