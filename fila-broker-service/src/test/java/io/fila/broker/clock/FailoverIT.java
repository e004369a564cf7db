package io.fila.broker.clock;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.fila.broker.OwnPostgres;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.queue.QueueName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.fila.broker.RecordingConsumer.mostInAny;
import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A replica takes over that lacks deliveries which were made, and the subscription by whose throttle they were made. */
class FailoverIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration WINDOW = Duration.ofSeconds(12);

    @Test
    void keepsLimitsThoughTheServerThatTakesOverLacksDeliveriesAndSubscriptions(@TempDir Path directory)
            throws Exception {
        try (OwnPostgres postgres = OwnPostgres.start(directory);
                TestBroker broker = TestBroker.start(postgres.url(), "fila.broker.database.failover=asynchronous")) {
            QueueName queue = broker.createQueue("failed-over");
            broker.enqueue(queue, 40, Map.of());
            postgres.keepReplica();
            try (RecordingConsumer before = subscribeWhenPossible(broker, queue)) {
                await().atMost(PATIENCE).until(() -> before.count() == 10);

                postgres.failOver();

                await().atMost(PATIENCE).until(() -> before.end() != null);
                try (RecordingConsumer after = subscribeWhenPossible(broker, queue)) {
                    await().atMost(PATIENCE).until(() -> after.count() == 10);
                    assertThat(mostInAny(WINDOW, List.of(before, after), any -> true))
                            .isLessThanOrEqualTo(10);
                }
            }
        }
    }

    private static RecordingConsumer subscribeWhenPossible(TestBroker broker, QueueName queue) {
        AtomicReference<RecordingConsumer> consumer = new AtomicReference<>();
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            consumer.set(subscribe(broker, queue, throttle("t", "10/" + WINDOW.toSeconds() + "s")));
            return true;
        });
        return consumer.get();
    }
}
