package io.fila.broker.pacing;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.RecordingConsumer.Handed;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.ClosingRefusedException;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Lease;
import io.fila.broker.message.Messages;
import io.fila.broker.message.Settlement;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Stats;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/** A consumer that was refused downstream closes buckets: on a real database and two nodes, from the moments of real hand-overs. */
class ClosedBucketsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How late a build machine may be; a lost wake-up would cost the 5 s to the next sweep. */
    private static final long LATE = TimeUnit.SECONDS.toNanos(2);

    /** So long what had been claimed before may still be sent. */
    private static final long UNDER_WAY = TimeUnit.MILLISECONDS.toNanos(250);

    private static final List<String> BY_CUSTOMER = List.of("header:customer");
    private static final Map<String, String> ACME = Map.of("customer", "acme");
    private static final Map<String, String> ZETA = Map.of("customer", "zeta");
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static TestBroker broker;
    private static TestBroker other;

    private final QueueName queue = broker.createQueue("closing-" + NUMBER.incrementAndGet());
    private final String name = "throttle-" + NUMBER.incrementAndGet();

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        broker = TestBroker.start(url, "fila.broker.max-bucket-close=1m");
        other = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        other.close();
        broker.close();
    }

    /** When a call began and ended: what it did, it did in between. */
    private record Span(long began, long ended) {}

    @Test
    void holdsAllNodesAndQueuesUntilThenAndGoesOnByItself() {
        QueueName second = other.createQueue(queue.value() + "-second");
        ThrottleDeclaration throttle = throttle(name, "1000/1s");
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer refused = subscribe(broker, queue, 1_000, false, throttle);
                RecordingConsumer elsewhere = subscribe(other, second, throttle)) {
            Delivery delivery = delivery(refused, 0);

            Span closing = close(refused, delivery, Duration.ofSeconds(2));
            broker.enqueue(queue, 20, Map.of());
            other.enqueue(second, 20, Map.of());

            awaitCount(refused, 22);
            awaitCount(elsewhere, 20);
            assertThat(elsewhere.handed()).allSatisfy(handed -> assertResumed(handed, closing, Duration.ofSeconds(2)));
            assertThat(refused.handed().subList(1, 22))
                    .allSatisfy(handed -> assertResumed(handed, closing, Duration.ofSeconds(2)));
            Delivery again = delivery(refused, 1);
            assertThat(again.id()).as("back at its place").isEqualTo(delivery.id());
            assertThat(again.attempt()).isEqualTo(1);
            assertThat(broker.bean(Messages.class).get(again.id()).failures()).isEmpty();
        }
    }

    @Test
    void holdsWhatWaitedForRoomThatWasDueEarlier() {
        QueueName second = other.createQueue(queue.value() + "-second");
        ThrottleDeclaration throttle = throttle(name, "1/400ms");
        other.enqueue(second, 50, Map.of());
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer elsewhere = subscribe(other, second, throttle);
                RecordingConsumer refused = subscribe(broker, queue, 1, false, throttle)) {
            Delivery delivery = delivery(refused, 0);
            awaitCount(elsewhere, 3);

            Span closing = close(refused, delivery, Duration.ofSeconds(3));

            int before = elsewhere.count();
            awaitCount(elsewhere, before + 3);
            long open = closing.began() + TimeUnit.SECONDS.toNanos(3);
            assertThat(elsewhere.handed())
                    .noneMatch(handed -> handed.at() > closing.ended() + UNDER_WAY && handed.at() < open);
        }
    }

    @Test
    void doesNotOpenEarlierForAShorterClosing() {
        broker.enqueue(queue, 2, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, throttle(name, "100/1s"))) {
            awaitCount(consumer, 2);
            Span closing = close(consumer, delivery(consumer, 0), Duration.ofSeconds(2));
            close(consumer, delivery(consumer, 1), Duration.ofMillis(50));

            awaitCount(consumer, 4);
            assertResumed(consumer.handed().get(2), closing, Duration.ofSeconds(2));
            assertResumed(consumer.handed().get(3), closing, Duration.ofSeconds(2));
        }
    }

    @Test
    void opensLaterForALongerClosing() {
        broker.enqueue(queue, 2, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, throttle(name, "100/1s"))) {
            awaitCount(consumer, 2);
            close(consumer, delivery(consumer, 0), Duration.ofMillis(500));
            Span closing = close(consumer, delivery(consumer, 1), Duration.ofSeconds(2));

            awaitCount(consumer, 4);
            assertResumed(consumer.handed().get(2), closing, Duration.ofSeconds(2));
        }
    }

    @Test
    void leavesOtherBucketsAlone() {
        broker.enqueue(queue, 2, ACME);
        ThrottleDeclaration perCustomer = throttle(name, BY_CUSTOMER, MissingKey.SHARED_BUCKET, "100/1s");
        try (RecordingConsumer consumer = subscribe(broker, queue, 100, false, perCustomer)) {
            awaitCount(consumer, 2);
            Span closing = close(consumer, delivery(consumer, 0), Duration.ofSeconds(4));
            broker.enqueue(queue, 10, ZETA);

            awaitCount(consumer, 13);
            assertThat(consumer.handed().subList(2, 12)).allSatisfy(handed -> {
                assertThat(handed.delivery().headers()).isEqualTo(ZETA);
                assertThat(handed.at()).isLessThan(closing.began() + TimeUnit.SECONDS.toNanos(4));
            });
            assertResumed(consumer.handed().get(12), closing, Duration.ofSeconds(4));
        }
    }

    @Test
    void closesOnlyBucketsOfTheNamedThrottles() {
        String perCustomer = name + "-customer";
        broker.enqueue(queue, 1, ACME);
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                100,
                false,
                throttle(name, "100/1s"),
                throttle(perCustomer, BY_CUSTOMER, MissingKey.SHARED_BUCKET, "100/1s"))) {
            Delivery acme = delivery(consumer, 0);
            Span first = close(consumer, acme, Duration.ofSeconds(4), perCustomer);
            broker.enqueue(queue, 1, ZETA);
            Delivery zeta = delivery(consumer, 1);
            assertThat(zeta.headers()).isEqualTo(ZETA);
            assertThat(consumer.handed().get(1).at()).isLessThan(first.began() + TimeUnit.SECONDS.toNanos(4));

            Span all = close(consumer, zeta, Duration.ofSeconds(6));

            awaitCount(consumer, 4);
            assertThat(consumer.handed().subList(2, 4))
                    .allSatisfy(handed -> assertResumed(handed, all, Duration.ofSeconds(6)));
        }
    }

    @Test
    void waitsForTheLaterOfDelayAndClosing() {
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, throttle(name, "100/1s"))) {
            long began = System.nanoTime();
            settle(consumer, refused(delivery(consumer, 0), Duration.ofMillis(1_500), Duration.ofMillis(100)));

            assertThat(delivery(consumer, 1).attempt()).isEqualTo(1);
            assertThat(consumer.handed().get(1).at() - began).isGreaterThanOrEqualTo(1_500_000_000L);

            began = System.nanoTime();
            settle(consumer, refused(delivery(consumer, 1), Duration.ofMillis(100), Duration.ofMillis(1_500)));

            assertThat(delivery(consumer, 2).attempt()).isEqualTo(1);
            assertThat(consumer.handed().get(2).at() - began).isGreaterThanOrEqualTo(1_500_000_000L);
        }
    }

    @Test
    void countsTheAttemptOfAMessageThatDrawsFromNoBucket() {
        broker.enqueue(queue, 1, Map.of());
        ThrottleDeclaration perCustomer = throttle(name, BY_CUSTOMER, MissingKey.UNTHROTTLED, "100/1s");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, perCustomer)) {
            long began = System.nanoTime();
            settle(consumer, refused(delivery(consumer, 0), null, Duration.ofMillis(1_500)));

            Delivery again = delivery(consumer, 1);
            assertThat(again.attempt()).isEqualTo(2);
            assertThat(consumer.handed().get(1).at() - began).isGreaterThanOrEqualTo(1_500_000_000L);
            assertThat(broker.bean(Messages.class).get(again.id()).failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure.error()).isEqualTo("429"));
        }
    }

    @Test
    void closesNothingForALostLease() {
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, throttle(name, "100/1s"))) {
            Delivery delivery = delivery(consumer, 0);
            assertThat(settle(consumer, new Settlement.Ack(delivery.lease()))).isEmpty();

            assertThat(settle(consumer, refused(delivery, null, Duration.ofMinutes(1))))
                    .containsExactly(delivery.lease());

            assertThat(broker.bean(Stats.class).bucket(name, List.of()).closedUntil())
                    .isNull();
            broker.enqueue(queue, 1, Map.of());
            awaitCount(consumer, 2);
        }
    }

    @Test
    void saysUntilWhenABucketIsClosed() {
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false, throttle(name, "100/1s"))) {
            close(consumer, delivery(consumer, 0), Duration.ofMinutes(1));

            var bucket = other.bean(Stats.class).bucket(name, List.of());
            assertThat(bucket.closedUntil()).isCloseTo(Instant.now().plusSeconds(60), within(Duration.ofSeconds(30)));
            assertThat(bucket.roomAt()).isEqualTo(bucket.closedUntil());
            assertThat(other.bean(Stats.class).throttle(name, 1).bucketsAtLimit())
                    .isEqualTo(1);
        }
    }

    @Test
    void closesABucketThatIsNotThereAnyMore() {
        broker.enqueue(queue, 1, ACME);
        ThrottleDeclaration perCustomer = throttle(name, BY_CUSTOMER, MissingKey.SHARED_BUCKET, "100/1s");
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, perCustomer)) {
            Delivery delivery = delivery(consumer, 0);
            evictBuckets();

            Span closing = close(consumer, delivery, Duration.ofSeconds(2));

            awaitCount(consumer, 2);
            assertResumed(consumer.handed().get(1), closing, Duration.ofSeconds(2));
        }
    }

    @Test
    void doesNothingOfACallThatCannotBeCarriedOut() {
        ThrottleDeclaration perCustomer = throttle(name, BY_CUSTOMER, MissingKey.UNTHROTTLED, "100/1s");
        broker.enqueue(queue, 1, ACME);
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false, perCustomer)) {
            awaitCount(consumer, 2);
            Lease acme = of(consumer, ACME).lease();
            Lease keyless = of(consumer, Map.of()).lease();
            Duration second = Duration.ofSeconds(1);

            assertRefused(
                    consumer,
                    "closeBucketsOf: throttle 'nonesuch' does not apply to queue '%s'; those that do: %s"
                            .formatted(queue.value(), name),
                    new Settlement.Ack(keyless),
                    new Settlement.Refused(acme, "", null, second, List.of(name, "nonesuch")));
            assertRefused(
                    consumer,
                    "'%s', since it lacks its key [header:customer]".formatted(name),
                    new Settlement.Refused(acme, "", null, second, List.of(name)),
                    new Settlement.Refused(keyless, "", null, second, List.of(name)));
            assertRefused(
                    consumer,
                    "closeBucketsFor: expected 1ms to 1m (fila.broker.max-bucket-close), got 61s",
                    new Settlement.Refused(acme, "", null, Duration.ofSeconds(61), List.of()));
            for (Duration duration : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(1))) {
                assertRefused(
                        consumer,
                        "closeBucketsFor: expected 1ms to 1m",
                        new Settlement.Refused(acme, "", null, duration, List.of()));
            }

            assertThat(broker.bean(Stats.class).bucket(name, List.of("acme")).closedUntil())
                    .isNull();
            assertThat(settle(consumer, new Settlement.Ack(acme)))
                    .as("still leased")
                    .isEmpty();
            assertThat(settle(consumer, new Settlement.Ack(keyless)))
                    .as("still leased")
                    .isEmpty();
        }
    }

    /** Locks are taken in one order, and claims pass over them: nothing waits in a circle. */
    @Test
    void closesFromManySidesAtOnce() {
        ThrottleDeclaration shared = throttle(name, "1000/1s");
        ThrottleDeclaration perCustomer = throttle(name + "-c", BY_CUSTOMER, MissingKey.SHARED_BUCKET, "1000/1s");
        for (int customer = 0; customer < 20; customer++) {
            broker.enqueue(queue, 20, Map.of("customer", "c" + customer));
        }
        try (RecordingConsumer one = subscribe(broker, queue, 200, false, shared, perCustomer);
                RecordingConsumer two = subscribe(other, queue, 200, false, shared, perCustomer)) {
            awaitCount(one, 200);
            awaitCount(two, 200);

            List<CompletableFuture<Set<Lease>>> answers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                for (RecordingConsumer consumer : List.of(one, two)) {
                    Delivery delivery = consumer.handed().get(i).delivery();
                    answers.add(consumer.stream()
                            .settle(List.of(refused(delivery, null, Duration.ofMillis(1 + i % 50)))));
                }
            }

            for (CompletableFuture<Set<Lease>> answer : answers) {
                assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join()).isEmpty();
            }
            one.request(200);
            two.request(200);
            awaitCount(one, 400);
            awaitCount(two, 400);
            assertThat(one.handed()).allMatch(handed -> handed.delivery().attempt() == 1);
        }
    }

    private void evictBuckets() {
        broker.bean(Database.class).inTransactionWithoutResult("evict buckets", connection -> {
            String records = "delete from delivery where bucket_id in (select id from bucket where throttle = ?)";
            for (String sql : List.of(records, "delete from bucket where throttle = ?")) {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setString(1, name);
                    assertThat(statement.executeUpdate()).isPositive();
                }
            }
        });
    }

    /** Not before the bucket opened, and soon after. */
    private static void assertResumed(Handed handed, Span closing, Duration closedFor) {
        assertThat(handed.at())
                .isBetween(closing.began() + closedFor.toNanos(), closing.ended() + closedFor.toNanos() + LATE);
    }

    private static void assertRefused(RecordingConsumer consumer, String said, Settlement... settlements) {
        assertThat(consumer.stream().settle(List.of(settlements)))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(ClosingRefusedException.class)
                .withMessageContaining(said);
    }

    private static Span close(RecordingConsumer consumer, Delivery delivery, Duration closedFor, String... of) {
        long began = System.nanoTime();
        assertThat(settle(consumer, new Settlement.Refused(delivery.lease(), "429", null, closedFor, List.of(of))))
                .isEmpty();
        return new Span(began, System.nanoTime());
    }

    private static Settlement refused(Delivery delivery, @Nullable Duration retryAfter, Duration closedFor) {
        return new Settlement.Refused(delivery.lease(), "429", retryAfter, closedFor, List.of());
    }

    private static Set<Lease> settle(RecordingConsumer consumer, Settlement settlement) {
        return consumer.stream()
                .settle(List.of(settlement))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    private static Delivery of(RecordingConsumer consumer, Map<String, String> headers) {
        return consumer.handed().stream()
                .map(Handed::delivery)
                .filter(delivery -> delivery.headers().equals(headers))
                .findFirst()
                .orElseThrow();
    }

    private static Delivery delivery(RecordingConsumer consumer, int index) {
        awaitCount(consumer, index + 1);
        return consumer.handed().get(index).delivery();
    }

    private static void awaitCount(RecordingConsumer consumer, int count) {
        await().atMost(PATIENCE).until(() -> consumer.count() >= count);
    }
}
