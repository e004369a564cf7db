package io.fila.broker.grpc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaSubscription;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a consumer is told of its lease. */
class LeaseGrpcIT {

    /** It was told the moment by the database's clock only, which its own may be far from. */
    @Test
    void tellsHowLongTheLeaseOfADeliveryLasts() {
        QueueName queue = QueueName.of("orders");
        CompletableFuture<Delivery> delivered = new CompletableFuture<>();
        try (TestBroker broker = TestBroker.start(TestDatabase.create());
                FilaClient client = FilaClient.builder()
                        .address("dns:///127.0.0.1:" + broker.grpcPort())
                        .build()) {
            broker.bean(Queues.class).declare(queue, new SettingsChange(Duration.ofSeconds(42), null, null));
            broker.enqueue(queue, 1, Map.of());
            FilaSubscription subscription = client.subscribe(
                    new SubscriptionSpec(queue.value(), "test", List.of()), new SubscriptionListener() {
                        @Override
                        public void onDelivery(Delivery delivery) {
                            delivered.complete(delivery);
                        }
                    });
            subscription.request(1);

            Delivery delivery = delivered.orTimeout(60, TimeUnit.SECONDS).join();
            assertThat(delivery.visibilityTimeout()).isEqualTo(Duration.ofSeconds(42));
            delivery.ack().orTimeout(60, TimeUnit.SECONDS).join();
        }
    }
}
