package io.fila.client;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import static org.awaitility.Awaitility.await;

/** Remembers what a subscription told. */
class RecordingListener implements SubscriptionListener {

    final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
    final List<FilaException> interruptions = new CopyOnWriteArrayList<>();
    final List<FilaException> refusals = new CopyOnWriteArrayList<>();
    final AtomicInteger acceptances = new AtomicInteger();

    @Override
    public void onDelivery(Delivery delivery) {
        deliveries.add(delivery);
    }

    @Override
    public void onAccepted() {
        acceptances.incrementAndGet();
    }

    @Override
    public void onInterrupted(FilaException cause) {
        interruptions.add(cause);
    }

    @Override
    public void onRefused(FilaException cause) {
        refusals.add(cause);
    }

    List<String> texts() {
        return deliveries.stream()
                .map(delivery -> delivery.message().payload().asText())
                .toList();
    }

    Delivery awaitDelivery(int index) {
        await().until(() -> deliveries.size() > index);
        return deliveries.get(index);
    }
}
