package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What becomes of a delivered message: every way to settle a lease, and every way to lose one. */
class LeaseLifeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration BACKOFF = Duration.ofMillis(200);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static String url;
    private static TestBroker broker;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void removesWhatIsAcknowledged() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            Delivery delivery = delivery(consumer, 1);
            assertThat(view(id).state()).isEqualTo(MessageState.LEASED);

            assertThat(settle(consumer, new Settlement.Ack(delivery.lease()))).isEmpty();

            assertGone(id);
        }
    }

    @Test
    void triesAgainAfterTheBackOffAndKeepsTheHistory() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            Delivery first = delivery(consumer, 1);
            long failedAt = System.nanoTime();
            settle(consumer, nack(first, "out of stock", null));

            assertThat(delivery(consumer, 2).attempt()).isEqualTo(2);
            assertThat(elapsed(failedAt, consumer, 2)).isGreaterThanOrEqualTo(BACKOFF);
            assertThat(view(id).failures()).singleElement().satisfies(failure -> {
                assertThat(failure.attempt()).isEqualTo(1);
                assertThat(failure.reason()).isEqualTo("nack");
                assertThat(failure.error()).isEqualTo("out of stock");
                assertThat(failure.consumer()).isEqualTo("test");
                assertThat(failure.at()).isBetween(Instant.now().minus(PATIENCE), Instant.now());
            });
        }
    }

    @Test
    void doublesTheBackOffUpToItsBound() {
        QueueName queue = queue(Duration.ofSeconds(30), 10);
        enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            for (int attempt = 1; attempt <= 3; attempt++) {
                Delivery delivery = delivery(consumer, attempt);
                long failedAt = System.nanoTime();
                settle(consumer, nack(delivery, "no", null));
                delivery(consumer, attempt + 1);
                Duration expected = BACKOFF.multipliedBy(Math.min(1L << attempt - 1, 3));
                assertThat(elapsed(failedAt, consumer, attempt + 1))
                        .as("after attempt " + attempt)
                        .isGreaterThanOrEqualTo(expected);
            }
        }
    }

    @Test
    void letsTheConsumerChooseTheDelayAndCountsTheAttempt() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            Delivery delivery = delivery(consumer, 1);
            long failedAt = System.nanoTime();
            settle(consumer, nack(delivery, "later", Duration.ofMillis(1_200)));
            assertThat(view(id).state()).isEqualTo(MessageState.DELAYED);

            assertThat(delivery(consumer, 2).attempt()).isEqualTo(2);
            assertThat(elapsed(failedAt, consumer, 2)).isGreaterThanOrEqualTo(Duration.ofMillis(1_200));
        }
    }

    @Test
    void deadLettersWhenAttemptsRunOutAndFailsThereWithoutEnd() {
        QueueName queue = queue(Duration.ofSeconds(30), 2);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            settle(consumer, nack(delivery(consumer, 1), "first", Duration.ZERO));
            settle(consumer, nack(delivery(consumer, 2), "second", null));
        }
        MessageView dead = view(id);
        assertThat(dead.queue()).isEqualTo(queue.deadLetter());
        assertThat(dead.state()).isEqualTo(MessageState.READY);
        assertThat(dead.failures()).extracting(MessageView.Failure::error).containsExactly("first", "second");

        try (RecordingConsumer consumer = subscribe(broker, queue.deadLetter(), 20, false)) {
            for (int failed = 1; failed <= 5; failed++) {
                Delivery delivery = delivery(consumer, failed);
                assertThat(delivery.id()).isEqualTo(id);
                boolean skipsRetries = failed == 3;
                Duration retryAfter = skipsRetries ? null : Duration.ofMillis(10);
                settle(consumer, new Settlement.Nack(delivery.lease(), "still", retryAfter, skipsRetries));
            }
            settle(consumer, nack(delivery(consumer, 6), "still", null));
            assertThat(view(id).state()).isEqualTo(MessageState.DELAYED);
            assertThat(view(id).queue()).isEqualTo(queue.deadLetter());
        }
    }

    @Test
    void deadLettersAtOnceWhenTheConsumerSaysSo() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false);
                RecordingConsumer undertaker = subscribe(broker, queue.deadLetter(), 5, true)) {
            settle(consumer, new Settlement.Nack(delivery(consumer, 1).lease(), "malformed", null, true));

            assertThat(delivery(undertaker, 1).id()).isEqualTo(id);
            patiently().untilAsserted(() -> assertGone(id));
        }
    }

    /** A second one would violate the uniqueness of ids in the dead letter queue, and take whole batches of settlements with it. */
    @Test
    void takesAnIdThatIsDeadLetteredForADuplicate() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, UUID.randomUUID());
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            settle(consumer, new Settlement.Nack(delivery(consumer, 1).lease(), "malformed", null, true));

            assertThat(broker.bean(Messages.class)
                            .enqueue(queue, List.of(message(id)))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .containsExactly(new Enqueued(id, true));
        }
    }

    /** One that could not move used to fail the whole batch it was settled with, and all that expired after it. */
    @Test
    void keepsTryingWhileTheDeadLetterQueueHoldsTheSameId() {
        QueueName queue = queue(Duration.ofSeconds(30), 1);
        UUID id = UUID.randomUUID();
        enqueue(queue, id);
        enqueue(queue.deadLetter(), id);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            assertThat(settle(consumer, nack(delivery(consumer, 1), "no", null)))
                    .isEmpty();
            assertThat(settle(
                            consumer, new Settlement.Nack(delivery(consumer, 2).lease(), "no", null, true)))
                    .isEmpty();
            try (RecordingConsumer undertaker = subscribe(broker, queue.deadLetter())) {
                delivery(undertaker, 1);
                settle(consumer, nack(delivery(consumer, 3), "no", null));
                assertThat(delivery(undertaker, 2).attempt()).isEqualTo(4);
            }
        }
    }

    /** The documentation promised that such a message is stored once. */
    @Test
    void storesAnIdAgainWhoseMessageIsDone() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, UUID.randomUUID());
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            settle(consumer, new Settlement.Ack(delivery(consumer, 1).lease()));

            enqueue(queue, id);
            assertThat(delivery(consumer, 2).id()).isEqualTo(id);
        }
    }

    @Test
    void givesALeaseMoreTime() {
        QueueName queue = queue(Duration.ofSeconds(1), 3);
        enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            Delivery delivery = delivery(consumer, 1);
            long extendedAt = System.nanoTime();
            assertThat(settle(consumer, new Settlement.Extend(delivery.lease(), Duration.ofSeconds(3))))
                    .isEmpty();

            assertThat(delivery(consumer, 2).attempt()).isEqualTo(2);
            assertThat(elapsed(extendedAt, consumer, 2)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        }
    }

    @Test
    void takesBackWhatIsReleasedAtOnceAndCountsNoAttempt() {
        QueueName queue = queue(Duration.ofSeconds(30), 1);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, false)) {
            for (int handed = 1; handed <= 5; handed++) {
                Delivery delivery = delivery(consumer, handed);
                assertThat(delivery.attempt()).isEqualTo(1);
                settle(consumer, new Settlement.Release(delivery.lease()));
            }
            delivery(consumer, 6);
            assertThat(view(id).failures()).isEmpty();
        }
    }

    @Test
    void takesAnExpiredLeaseForAFailedAttempt() {
        QueueName queue = queue(Duration.ofSeconds(1), 2);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            delivery(consumer, 1);
            assertThat(delivery(consumer, 2).attempt()).isEqualTo(2);
            assertThat(view(id).failures())
                    .extracting(MessageView.Failure::reason)
                    .containsExactly("lease_expired");

            patiently().until(() -> view(id).queue().equals(queue.deadLetter()));
            assertThat(view(id).failures()).hasSize(2);
        }
    }

    @Test
    void redeliversWhatANodeLeasedThatIsGone() {
        QueueName queue = queue(Duration.ofSeconds(2), 3);
        enqueue(queue, null);
        try (TestBroker other = TestBroker.start(url)) {
            delivery(subscribe(other, queue, 5, false), 1);
        }
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            assertThat(delivery(consumer, 1).attempt()).isEqualTo(2);
        }
    }

    @Test
    void doesNothingForALeaseThatWasHandedOn() {
        QueueName queue = queue(Duration.ofSeconds(1), 10);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 5, false)) {
            Lease stale = delivery(consumer, 1).lease();
            Lease current = delivery(consumer, 2).lease();
            settle(consumer, new Settlement.Extend(current, Duration.ofMinutes(1)));
            MessageView before = view(id);

            for (Function<Lease, Settlement> way : List.<Function<Lease, Settlement>>of(
                    Settlement.Ack::new,
                    Settlement.Release::new,
                    lease -> new Settlement.Extend(lease, Duration.ofHours(1)),
                    lease -> new Settlement.Nack(lease, "too late", null, true))) {
                assertThat(settle(consumer, way.apply(stale))).containsExactly(stale);
            }

            assertThat(view(id)).usingRecursiveComparison().isEqualTo(before);
            assertThat(settle(consumer, new Settlement.Ack(current))).isEmpty();
            assertThat(settle(consumer, new Settlement.Ack(current))).containsExactly(current);
        }
    }

    /** A message that was just being extended was passed over, and its nack reported as lost. */
    @Test
    void failsAnAttemptWhoseLeaseIsBeingExtended() throws SQLException {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false);
                Connection extension = DriverManager.getConnection(url);
                Statement statement = extension.createStatement()) {
            Delivery delivery = delivery(consumer, 1);
            extension.setAutoCommit(false);
            statement.execute(
                    "update message set lease_until = lease_until + interval '1 minute' where id = '" + id + "'");

            CompletableFuture<Set<Lease>> lost =
                    consumer.stream().settle(List.of(nack(delivery, "out of stock", Duration.ofHours(1))));
            patiently().until(() -> lost.isDone() || isWaitedFor(statement));
            extension.commit();

            assertThat(lost.orTimeout(30, TimeUnit.SECONDS).join()).isEmpty();
            assertThat(view(id).state()).isEqualTo(MessageState.DELAYED);
            assertThat(view(id).failures())
                    .extracting(MessageView.Failure::error)
                    .containsExactly("out of stock");
        }
    }

    /** It acknowledged the second before it waited for the first, and a transaction that held the first then waited for it. */
    @Test
    void locksLeasesInOneOrderHoweverTheyAreSettled() throws SQLException {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID first = enqueue(queue, null);
        UUID second = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 2, false);
                Connection other = DriverManager.getConnection(url);
                Statement statement = other.createStatement()) {
            Lease leaseOfFirst = delivery(consumer, 1).lease();
            Lease leaseOfSecond = delivery(consumer, 2).lease();
            other.setAutoCommit(false);
            statement.execute("select 1 from message where id = '" + first + "' for update");

            CompletableFuture<Set<Lease>> lost = consumer.stream()
                    .settle(List.of(new Settlement.Ack(leaseOfSecond), new Settlement.Extend(leaseOfFirst, null)));
            patiently().until(() -> isWaitedFor(statement));
            // fails at once if it is locked
            statement.execute("select 1 from message where id = '" + second + "' for update nowait");
            other.commit();

            assertThat(lost.orTimeout(30, TimeUnit.SECONDS).join()).isEmpty();
        }
    }

    private static boolean isWaitedFor(Statement statement) throws SQLException {
        try (var row = statement.executeQuery(
                "select exists (select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid)))")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    @Test
    void settlesUnderAnySubscriptionOfTheQueueButNotOfAnother() {
        QueueName queue = queue(Duration.ofSeconds(30), 3);
        UUID id = enqueue(queue, null);
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false);
                RecordingConsumer colleague = subscribe(broker, queue, 0, false);
                RecordingConsumer stranger = subscribe(broker, queue(Duration.ofSeconds(30), 3), 0, false)) {
            Lease lease = delivery(consumer, 1).lease();
            assertThat(settle(stranger, new Settlement.Ack(lease))).containsExactly(lease);
            assertThat(settle(colleague, new Settlement.Ack(lease))).isEmpty();
            assertGone(id);
        }
    }

    private static QueueName queue(Duration visibilityTimeout, int maxAttempts) {
        QueueName queue = QueueName.of("leases-" + NUMBER.incrementAndGet());
        RetryChange retry = new RetryChange(maxAttempts, BACKOFF, 2.0, BACKOFF.multipliedBy(3), 0.0);
        broker.bean(Queues.class).declare(queue, new SettingsChange(visibilityTimeout, retry, null));
        return queue;
    }

    private static NewMessage message(UUID id) {
        Payload payload = new Payload("hello".getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
        return new NewMessage(id, payload, Map.of(), null, 1, null, null);
    }

    private static UUID enqueue(QueueName queue, UUID id) {
        return broker.bean(Messages.class)
                .enqueue(queue, List.of(message(id)))
                .orTimeout(30, TimeUnit.SECONDS)
                .join()
                .get(0)
                .id();
    }

    private static Settlement nack(Delivery delivery, String error, Duration retryAfter) {
        return new Settlement.Nack(delivery.lease(), error, retryAfter, false);
    }

    private static Set<Lease> settle(RecordingConsumer consumer, Settlement settlement) {
        return consumer.stream()
                .settle(List.of(settlement))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    /** Waits for the n-th delivery, from 1. */
    private static Delivery delivery(RecordingConsumer consumer, int number) {
        patiently().until(() -> consumer.count() >= number);
        return consumer.handed().get(number - 1).delivery();
    }

    private static Duration elapsed(long since, RecordingConsumer consumer, int number) {
        return Duration.ofNanos(consumer.handed().get(number - 1).at() - since);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }

    private static MessageView view(UUID id) {
        return broker.bean(Messages.class).get(id);
    }

    private static void assertGone(UUID id) {
        assertThatThrownBy(() -> view(id))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.MESSAGE_NOT_FOUND));
    }
}
