package io.fila.fake;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.client.FilaException;
import io.fila.client.FilaSubscription;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;

/** A subscription whose broker is the test. */
public final class FakeSubscription implements FilaSubscription {

    public final SubscriptionSpec spec;
    public final SubscriptionListener listener;
    /** What has been asked for and not delivered. */
    public final AtomicInteger credit = new AtomicInteger();

    public final List<CompletableFuture<Void>> drains = new CopyOnWriteArrayList<>();
    public volatile boolean drainsAtOnce = true;
    public volatile boolean closed;

    FakeSubscription(SubscriptionSpec spec, SubscriptionListener listener) {
        this.spec = spec;
        this.listener = listener;
    }

    @Override
    public State state() {
        return closed ? State.CLOSED : State.ACTIVE;
    }

    @Override
    public void request(int deliveries) {
        credit.addAndGet(deliveries);
    }

    @Override
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drain = new CompletableFuture<>();
        drains.add(drain);
        if (drainsAtOnce) {
            completeDrain();
        }
        return drain;
    }

    /** Confirms the latest drain. */
    public void completeDrain() {
        credit.set(0);
        drains.get(drains.size() - 1).complete(null);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Delivers on the credit there is. */
    public FakeDelivery deliver(String text) {
        return deliver(new FakeDelivery(spec.queue(), text));
    }

    public FakeDelivery deliver(FakeDelivery delivery) {
        if (credit.decrementAndGet() < 0) {
            throw new AssertionError("delivered without credit");
        }
        listener.onDelivery(delivery);
        return delivery;
    }

    public void refuse(String code) {
        closed = true;
        listener.onRefused(new FilaException(code, "refused for the test", false, null));
    }
}
