package io.fila.broker.pacing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.MissingKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.mostInAny;
import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The guarantee, on a real database, from the moments at which messages were really handed over. */
class PacingIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static TestBroker broker;
    private static TestBroker other;

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        broker = TestBroker.start(url);
        other = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        other.close();
        broker.close();
    }

    private static QueueName queue() {
        return broker.createQueue("pacing-" + NUMBER.incrementAndGet());
    }

    private static String name() {
        return "throttle-" + NUMBER.incrementAndGet();
    }

    private static void awaitCount(int count, RecordingConsumer... consumers) {
        await().atMost(PATIENCE)
                .until(() -> List.of(consumers).stream()
                                .mapToInt(RecordingConsumer::count)
                                .sum()
                        >= count);
    }

    @Test
    void deliversEverythingOnceWithoutThrottle() {
        QueueName queue = queue();
        broker.enqueue(queue, 2_000, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            awaitCount(2_000, consumer);
            Set<Object> ids =
                    consumer.handed().stream().map(one -> one.delivery().id()).collect(Collectors.toSet());
            assertThat(ids).hasSize(2_000);
            assertThat(consumer.count()).isEqualTo(2_000);
        }
    }

    @Test
    void letsAllOfALimitGoAtOnceAndNoMore() {
        QueueName queue = queue();
        broker.enqueue(queue, 50, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle(name(), "10/1s"))) {
            awaitCount(50, consumer);
            assertThat(consumer.mostInAny(Duration.ofSeconds(1))).isEqualTo(10);
        }
    }

    @Test
    void keepsEveryLimitOfAThrottle() {
        QueueName queue = queue();
        broker.enqueue(queue, 60, Map.of());
        String[] limits = {"5/200ms", "12/1s", "30/3s"};
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle(name(), limits))) {
            awaitCount(60, consumer);
            assertThat(consumer.mostInAny(Duration.ofMillis(200))).isEqualTo(5);
            assertThat(consumer.mostInAny(Duration.ofSeconds(1))).isEqualTo(12);
            assertThat(consumer.mostInAny(Duration.ofSeconds(3))).isEqualTo(30);
        }
    }

    @Test
    void givesEachKeyItsOwnBucketAndThoseWithoutOneTogether() {
        QueueName queue = queue();
        for (String customer : List.of("acme", "", "zeta")) {
            broker.enqueue(queue, 12, Map.of("customer", customer));
        }
        broker.enqueue(queue, 12, Map.of("other", "x"));
        var throttle = throttle(name(), List.of("header:customer"), MissingKey.SHARED_BUCKET, "4/1s");
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle)) {
            awaitCount(48, consumer);
            for (String customer : List.of("acme", "", "zeta")) {
                assertThat(mostInAny(
                                Duration.ofSeconds(1),
                                List.of(consumer),
                                delivery -> customer.equals(delivery.headers().get("customer"))))
                        .as(customer)
                        .isEqualTo(4);
            }
            assertThat(mostInAny(
                            Duration.ofSeconds(1),
                            List.of(consumer),
                            delivery -> !delivery.headers().containsKey("customer")))
                    .isEqualTo(4);
        }
    }

    @Test
    void leavesMessagesWithoutTheKeyAloneIfTheirPolicySaysSo() {
        QueueName queue = queue();
        broker.enqueue(queue, 20, Map.of("customer", "acme"));
        broker.enqueue(queue, 100, Map.of());
        var throttle = throttle(name(), List.of("header:customer"), MissingKey.UNTHROTTLED, "1/10s");
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle)) {
            awaitCount(101, consumer);
            assertThat(mostInAny(
                            Duration.ofSeconds(10),
                            List.of(consumer),
                            delivery -> delivery.headers().containsKey("customer")))
                    .isEqualTo(1);
        }
    }

    @Test
    void sharesANameAcrossQueuesAndNodes() {
        QueueName here = queue();
        QueueName there = queue();
        broker.enqueue(here, 30, Map.of());
        broker.enqueue(there, 30, Map.of());
        var throttle = throttle(name(), "10/1s");
        try (RecordingConsumer one = subscribe(broker, here, throttle);
                RecordingConsumer two = subscribe(other, there, throttle);
                RecordingConsumer three = subscribe(other, here)) {
            awaitCount(60, one, two, three);
            assertThat(mostInAny(Duration.ofSeconds(1), List.of(one, two, three), delivery -> true))
                    .isEqualTo(10);
        }
    }

    @Test
    void pacesAQueueThatTwoNodesDeliverFrom() {
        QueueName queue = queue();
        var throttle = throttle(name(), "20/500ms");
        try (RecordingConsumer one = subscribe(broker, queue, throttle);
                RecordingConsumer two = subscribe(other, queue, throttle)) {
            broker.enqueue(queue, 80, Map.of());
            other.enqueue(queue, 80, Map.of());
            awaitCount(160, one, two);
            assertThat(mostInAny(Duration.ofMillis(500), List.of(one, two), delivery -> true))
                    .isEqualTo(20);
            assertThat(one.count() + two.count()).isEqualTo(160);
        }
    }

    @Test
    void wakesTheOtherNodeForWhatIsEnqueuedHere() {
        QueueName queue = queue();
        try (RecordingConsumer consumer = subscribe(other, queue)) {
            broker.enqueue(queue, 1, Map.of());
            awaitCount(1, consumer);
        }
    }

    @Test
    void deliversPastMessagesThatABucketHolds() {
        QueueName queue = queue();
        broker.enqueue(queue, 500, Map.of("customer", "noisy"));
        broker.enqueue(queue, 20, Map.of("customer", "quiet"));
        var throttle = throttle(name(), List.of("header:customer"), MissingKey.SHARED_BUCKET, "20/1m");
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle)) {
            awaitCount(40, consumer);
            assertThat(consumer.handed().stream()
                            .filter(one ->
                                    "quiet".equals(one.delivery().headers().get("customer"))))
                    .hasSize(20);
        }
    }
}
