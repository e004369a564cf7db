package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static org.awaitility.Awaitility.await;

/** What producers of several queues get who share a batch. */
class EnqueueBatchIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Arrivals were told apart by lane alone, and lanes of different queues may be equal: the second queue waited for its sweep. */
    @Test
    void tellsEachQueueOfABatchWhatArrivedThere() throws SQLException {
        String url = TestDatabase.create();
        try (TestBroker broker = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m");
                Connection connection = DriverManager.getConnection(url)) {
            QueueName held = broker.createQueue("held");
            List<QueueName> queues = List.of(broker.createQueue("one"), broker.createQueue("other"));
            List<RecordingConsumer> consumers = new ArrayList<>();
            for (QueueName queue : queues) {
                RecordingConsumer consumer = subscribe(broker, queue);
                consumers.add(consumer);
                // once it has had a message, only a signal or a sweep makes its queue look again
                enqueue(broker, queue).join();
                await().atMost(PATIENCE).until(() -> consumer.count() == 1);
            }

            List<CompletableFuture<?>> answers = new ArrayList<>();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("select 1 from queue where name = 'held' for update");
                for (int waiting = 1; waiting <= 2; waiting++) {
                    answers.add(enqueue(broker, held));
                    awaitBlocked(statement, waiting);
                }
                // no worker is free, so that these come together
                queues.forEach(queue -> answers.add(enqueue(broker, queue)));
                connection.rollback();
            }

            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
            for (RecordingConsumer consumer : consumers) {
                await().atMost(PATIENCE).until(() -> consumer.count() == 2);
                consumer.close();
            }
        }
    }

    private static void awaitBlocked(Statement statement, int count) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            try (var row = statement.executeQuery("select count(distinct pid) from pg_locks where not granted")) {
                row.next();
                return row.getInt(1) == count;
            }
        });
    }

    private static CompletableFuture<List<Enqueued>> enqueue(TestBroker broker, QueueName queue) {
        Payload payload = new Payload("x".getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
        return broker.bean(Messages.class)
                .enqueue(queue, List.of(new NewMessage(null, payload, Map.of(), null, 1, null, null)))
                .orTimeout(30, TimeUnit.SECONDS);
    }
}
