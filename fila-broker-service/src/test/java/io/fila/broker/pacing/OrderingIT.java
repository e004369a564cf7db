package io.fila.broker.pacing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Lease;
import io.fila.broker.message.Messages;
import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.throttle.MissingKey;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Ordered queues: one message of a group in flight, and the next when it is done with. */
class OrderingIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        // what a signal should have told is not to be found by a sweep
        broker = TestBroker.start(
                TestDatabase.create(),
                "fila.broker.pacing.sweep-interval=10m",
                // a claim that takes longer is given back, and something else goes first
                "fila.broker.pacing.token-expiry=900ms");
        warmUp();
    }

    /** The first claim of all is the slowest by far. */
    private static void warmUp() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.UNORDERED), Duration.ofSeconds(30));
        enqueue(queue, "a1:A", "s1");
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            patiently().until(() -> consumer.count() == 2);
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** The example of the specification. */
    @Test
    void keepsAccountsInOrderAndLetsOtherMessagesPass() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.UNORDERED), Duration.ofSeconds(30));
        enqueue(queue, "a1:A", "a2:A", "s1", "b1:B", "s2", "a3:A", "b2:B");
        try (RecordingConsumer w1 = subscribe(broker, queue, 1, false)) {
            Delivery a1 = delivery(w1, 1, "a1");
            try (RecordingConsumer w2 = subscribe(broker, queue, 1, false)) {
                Delivery s1 = delivery(w2, 1, "s1");
                ack(w2, s1);
                Delivery b1 = delivery(w2, 2, "b1");
                ack(w1, a1);
                Delivery a2 = delivery(w1, 2, "a2");
                ack(w2, b1);
                delivery(w2, 3, "s2");
                long failedAt = System.nanoTime();
                nack(w1, a2, Duration.ofSeconds(5));
                Delivery b2 = delivery(w1, 3, "b2");
                ack(w1, b2);
                Delivery again = delivery(w1, 4, "a2");
                assertThat(w1.handed().get(3).at() - failedAt)
                        .isGreaterThanOrEqualTo(Duration.ofSeconds(5).toNanos());
                assertThat(again.attempt()).isEqualTo(2);
                ack(w1, again);
                delivery(w1, 5, "a3");
            }
        }
    }

    @Test
    void hasOneInFlightOfAQueueThatIsOneGroup() {
        QueueName queue = queue(new Ordering(List.of(), WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        enqueue(queue, "1", "2:A", "3:B", "4");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            for (int i = 1; i <= 4; i++) {
                Delivery delivery = delivery(consumer, i, String.valueOf(i));
                assertNothingElseCan(consumer, i);
                ack(consumer, delivery);
            }
        }
    }

    @Test
    void holdsOnlyTheGroupOfADelayedMessage() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        enqueue(queue, List.of(message("a1", "A", Duration.ofMillis(1_500)), message("a2", "A"), message("b1", "B")));
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            delivery(consumer, 1, "b1");
            Delivery a1 = delivery(consumer, 2, "a1");
            ack(consumer, a1);
            delivery(consumer, 3, "a2");
        }
    }

    @Test
    void holdsOnlyTheGroupOfAThrottledMessage() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        enqueue(queue, "a1:A", "a2:A", "b1:B", "b2:B");
        String name = "ordered-" + NUMBER.incrementAndGet();
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                10,
                true,
                throttle(name, List.of("header:account"), MissingKey.SHARED_BUCKET, "1/700ms"))) {
            patiently().until(() -> consumer.count() == 4);
            assertThat(texts(consumer).subList(0, 2)).containsExactlyInAnyOrder("a1", "b1");
            assertThat(consumer.mostInAny(Duration.ofMillis(700))).isEqualTo(2);
            assertThat(texts(consumer).indexOf("a1")).isLessThan(texts(consumer).indexOf("a2"));
        }
    }

    /** A group is one lane, whatever its messages draw from: each is counted where it belongs. */
    @Test
    void countsEachMessageOfAGroupInItsOwnBuckets() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        List<NewMessage> messages = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            messages.add(message("m" + i, Map.of("account", "A", "customer", "c" + i % 2), null, null));
        }
        enqueue(queue, messages);
        String name = "ordered-" + NUMBER.incrementAndGet();
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                10,
                true,
                throttle(name, List.of("header:customer"), MissingKey.SHARED_BUCKET, "1/400ms"))) {
            patiently().until(() -> consumer.count() == 6);
            assertThat(texts(consumer)).containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
            for (String customer : List.of("c0", "c1")) {
                assertThat(RecordingConsumer.mostInAny(
                                Duration.ofMillis(400),
                                List.of(consumer),
                                delivery -> customer.equals(delivery.headers().get("customer"))))
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void goesOnWithTheNextWhenAMessageIsDeadLettered() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        enqueue(queue, "a1:A", "a2:A");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            settle(consumer, new Settlement.Nack(delivery(consumer, 1, "a1").lease(), "no", null, true));
            delivery(consumer, 2, "a2");
        }
        try (RecordingConsumer undertaker = subscribe(broker, queue.deadLetter(), 10, false)) {
            delivery(undertaker, 1, "a1");
        }
    }

    @Test
    void triesTheSameAgainAfterItsLeaseExpired() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(1));
        enqueue(queue, "a1:A", "a2:A");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            Delivery first = delivery(consumer, 1, "a1");
            Delivery second = delivery(consumer, 2, "a1");
            assertThat(second.attempt()).isEqualTo(2);
            assertThat(settle(consumer, new Settlement.Ack(first.lease()))).containsExactly(first.lease());
            ack(consumer, second);
            delivery(consumer, 3, "a2");
        }
    }

    @Test
    void deliversTheSameAgainWhenItIsReleased() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        enqueue(queue, "a1:A", "a2:A");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            settle(consumer, new Settlement.Release(delivery(consumer, 1, "a1").lease()));
            Delivery again = delivery(consumer, 2, "a1");
            assertThat(again.attempt()).isEqualTo(1);
            ack(consumer, again);
            delivery(consumer, 3, "a2");
        }
    }

    @Test
    void goesOnWithTheNextWhenTheHeadIsCancelled() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        UUID head = enqueue(queue, List.of(message("a1", "A", Duration.ofDays(1)), message("a2", "A")))
                .get(0);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            assertNothingElseCan(consumer, 0);
            broker.bean(Messages.class).cancel(head, null);
            delivery(consumer, 1, "a2");
        }
    }

    /** It waited at the bucket of a head that had gone, for as long as that had no room. */
    @Test
    void looksAgainWhenTheHeadThatWaitedForRoomHasGone() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        List<UUID> ids = enqueue(
                queue,
                List.of(
                        message("b1", Map.of("account", "B", "customer", "busy"), null, null),
                        message("a1", Map.of("account", "A", "customer", "busy"), null, null),
                        message("a2", Map.of("account", "A", "customer", "free"), null, null)));
        String name = "ordered-" + NUMBER.incrementAndGet();
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                10,
                false,
                throttle(name, List.of("header:customer"), MissingKey.SHARED_BUCKET, "1/10m"))) {
            delivery(consumer, 1, "b1");
            broker.bean(Messages.class).cancel(ids.get(1), null);
            delivery(consumer, 2, "a2");
        }
    }

    @Test
    void refusesAMessageWithoutTheKeyAndStoresNothingOfItsArray() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.REJECT), Duration.ofSeconds(30));
        assertThatThrownBy(() -> enqueue(queue, "a1:A", "s1"))
                .rootCause()
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.ORDERING_KEY_MISSING))
                .hasMessageContainingAll("messages[1]", queue.value(), "header:account");
        assertThat(broker.bean(Messages.class).list(queue, null, 10, null).messages())
                .isEmpty();
    }

    /** Of a group all of whose keys are empty strings: an empty string is a value. */
    @Test
    void takesAnEmptyStringForAGroupOfItsOwn() {
        QueueName queue = queue(by("header:account", WhenKeyMissing.UNORDERED), Duration.ofSeconds(30));
        enqueue(queue, "e1:", "e2:", "s1");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            patiently().until(() -> consumer.count() == 2);
            assertThat(texts(consumer)).containsExactlyInAnyOrder("e1", "s1");
            assertNothingElseCan(consumer, 2);
        }
    }

    private static void assertNothingElseCan(RecordingConsumer consumer, int count) {
        consumer.awaitNothing();
        assertThat(consumer.count()).isEqualTo(count);
    }

    private static QueueName queue(Ordering ordering, Duration visibilityTimeout) {
        QueueName queue = QueueName.of("ordered-" + NUMBER.incrementAndGet());
        RetryChange retry = new RetryChange(3, Duration.ofMillis(100), 1.0, Duration.ofMillis(100), 0.0);
        broker.bean(Queues.class)
                .declare(queue, new SettingsChange(visibilityTimeout, retry, null, ordering, null, null));
        return queue;
    }

    private static Ordering by(String component, WhenKeyMissing policy) {
        return Ordering.parse("ordering", List.of(component), policy);
    }

    /** Messages written {@code text:account}, or without account. */
    private static void enqueue(QueueName queue, String... messages) {
        List<NewMessage> batch = new ArrayList<>();
        for (String message : messages) {
            int colon = message.indexOf(':');
            batch.add(
                    colon < 0
                            ? message(message, Map.of(), null, null)
                            : message(message.substring(0, colon), message.substring(colon + 1)));
        }
        enqueue(queue, batch);
    }

    private static List<UUID> enqueue(QueueName queue, List<NewMessage> messages) {
        return broker.bean(Messages.class).enqueue(queue, messages).orTimeout(30, TimeUnit.SECONDS).join().stream()
                .map(answer -> answer.id())
                .toList();
    }

    private static NewMessage message(String text, String account) {
        return message(text, account, null);
    }

    private static NewMessage message(String text, String account, Duration delay) {
        return message(text, Map.of("account", account), null, delay);
    }

    private static NewMessage message(String text, Map<String, String> headers, String fairnessKey, Duration delay) {
        Payload payload = new Payload(text.getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
        return new NewMessage(null, payload, headers, fairnessKey, 1, delay, null);
    }

    private static void ack(RecordingConsumer consumer, Delivery delivery) {
        assertThat(settle(consumer, new Settlement.Ack(delivery.lease()))).isEmpty();
        consumer.request(1);
    }

    private static void nack(RecordingConsumer consumer, Delivery delivery, Duration retryAfter) {
        assertThat(settle(consumer, new Settlement.Nack(delivery.lease(), "no", retryAfter, false)))
                .isEmpty();
        consumer.request(1);
    }

    private static Set<Lease> settle(RecordingConsumer consumer, Settlement settlement) {
        return consumer.stream()
                .settle(List.of(settlement))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    /** Waits for the n-th delivery, from 1. */
    private static Delivery delivery(RecordingConsumer consumer, int number, String text) {
        patiently().until(() -> consumer.count() >= number);
        Delivery delivery = consumer.handed().get(number - 1).delivery();
        assertThat(text(delivery)).as("delivery " + number).isEqualTo(text);
        return delivery;
    }

    private static List<String> texts(RecordingConsumer consumer) {
        return consumer.handed().stream().map(one -> text(one.delivery())).toList();
    }

    private static String text(Delivery delivery) {
        return new String(delivery.payload().bytes(), StandardCharsets.UTF_8);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10));
    }
}
