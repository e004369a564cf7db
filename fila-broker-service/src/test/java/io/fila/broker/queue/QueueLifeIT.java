package io.fila.broker.queue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Messages;
import io.fila.broker.message.Settlement;
import io.fila.broker.node.Node;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What is done to queues whose consumers are on two nodes. These sweep so rarely that what they learn they are told. */
class QueueLifeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static TestBroker broker;
    private static TestBroker other;

    private final QueueName queue = QueueName.of("life-" + NUMBER.incrementAndGet());

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        broker = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m");
        other = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m");
        // what is ready is told to nobody by a node that takes itself for the only one
        patiently().until(() -> broker.bean(Node.class).hasOthers());
    }

    @AfterAll
    static void stop() {
        broker.close();
        other.close();
    }

    @BeforeEach
    void declare() {
        queues().declare(queue, SettingsChange.NONE);
    }

    @Test
    void deliversNothingOfAPausedQueueOnAnyNodeAndAllAtOnceWhenItGoesOn() {
        QueueName beside = QueueName.of(queue + "-beside");
        queues().declare(beside, SettingsChange.NONE);
        try (RecordingConsumer here = subscribe(broker, queue);
                RecordingConsumer there = subscribe(other, queue);
                RecordingConsumer unpaused = subscribe(other, beside)) {
            broker.enqueue(queue, 10, Map.of());
            patiently().until(() -> here.count() + there.count() == 10);

            queues().setPaused(queue, true);
            broker.enqueue(queue, 10, Map.of());
            other.enqueue(queue, 10, Map.of());
            broker.enqueue(beside, 10, Map.of());
            patiently().until(() -> unpaused.count() == 10);
            assertThat(here.count() + there.count()).isEqualTo(10);

            queues().setPaused(queue, false);
            patiently().until(() -> here.count() + there.count() == 30);
        }
    }

    @Test
    void purgesEachMessageOrDeliversItWhileConsumersRun() {
        try (RecordingConsumer here = subscribe(broker, queue);
                RecordingConsumer there = subscribe(other, queue)) {
            CompletableFuture<Void> enqueued = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 20; i++) {
                    broker.enqueue(queue, 200, Map.of());
                }
            });
            AtomicInteger purged = new AtomicInteger();
            patiently().until(() -> {
                purged.addAndGet((int) queues().purge(queue));
                return enqueued.isDone();
            });
            enqueued.join();

            patiently().until(() -> here.count() + there.count() + purged.get() == 4_000);
            patiently().until(() -> ids(queue).isEmpty());
            broker.enqueue(queue, 10, Map.of());
            patiently().until(() -> here.count() + there.count() + purged.get() == 4_010);
        }
    }

    @Test
    void purgesADeadLetterQueueByItsNameAndNothingElse() {
        deadLetter(3);
        broker.enqueue(queue, 2, Map.of());

        assertThat(queues().purge(queue.deadLetter())).isEqualTo(3);

        assertThat(ids(queue.deadLetter())).isEmpty();
        assertThat(ids(queue)).hasSize(2);
    }

    @Test
    void cancelsADeadLetter() {
        deadLetter(2);
        List<UUID> dead = ids(queue.deadLetter());

        broker.bean(Messages.class).cancel(dead.get(0), null);
        assertThat(ids(queue.deadLetter())).containsExactly(dead.get(1));
        assertThatThrownBy(() -> broker.bean(Messages.class).cancel(dead.get(1), queue))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.MESSAGE_NOT_FOUND));
        broker.bean(Messages.class).cancel(dead.get(1), queue.deadLetter());
        assertThat(ids(queue.deadLetter())).isEmpty();
    }

    @Test
    void endsConsumersOfADeletedQueueOnEveryNode() {
        try (RecordingConsumer here = subscribe(broker, queue);
                RecordingConsumer there = subscribe(other, queue);
                RecordingConsumer ofTheDead = subscribe(other, queue.deadLetter())) {
            queues().delete(queue, false);

            for (RecordingConsumer ended : List.of(here, there, ofTheDead)) {
                patiently().until(() -> ended.end() != null);
                assertThat(ended.end().code()).isEqualTo(ProblemCode.QUEUE_NOT_FOUND);
            }
        }
    }

    private void deadLetter(int count) {
        try (RecordingConsumer consumer = subscribe(broker, queue, count, false)) {
            broker.enqueue(queue, count, Map.of());
            patiently().until(() -> consumer.count() == count);
            consumer.stream()
                    .settle(consumer.handed().stream()
                            .map(handed -> new Settlement.Nack(handed.delivery().lease(), "no", null, true))
                            .toList())
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
        }
    }

    private static List<UUID> ids(QueueName queue) {
        return broker.bean(Messages.class).list(queue, null, 1_000, null).messages().stream()
                .map(message -> message.id())
                .toList();
    }

    private static Queues queues() {
        return broker.bean(Queues.class);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
