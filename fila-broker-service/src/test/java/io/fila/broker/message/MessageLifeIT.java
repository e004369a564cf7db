package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** How messages come in, wait, and reach a consumer as they were; and what pausing, purging and deleting a queue does. */
class MessageLifeIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void keepsAMessageBackForItsDelay() {
        QueueName queue = queue();
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            long sentAt = System.nanoTime();
            UUID delayed = enqueue(queue, message("later", Duration.ofMillis(1_500), null))
                    .get(0)
                    .id();
            enqueue(queue, message("now", null, null));

            awaitCount(consumer, 2);
            RecordingConsumer.Handed last = consumer.handed().get(1);
            assertThat(last.delivery().id()).isEqualTo(delayed);
            assertThat(Duration.ofNanos(last.at() - sentAt)).isBetween(Duration.ofMillis(1_500), PATIENCE);
        }
    }

    @Test
    void keepsAMessageBackUntilItsMoment() {
        QueueName queue = queue();
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            Instant moment = Instant.now().plusMillis(1_500);
            enqueue(queue, message("later", null, moment));
            enqueue(queue, message("overdue", null, Instant.parse("1969-07-20T20:17:40Z")));

            awaitCount(consumer, 2);
            assertThat(text(consumer.handed().get(0).delivery())).isEqualTo("overdue");
            assertThat(text(consumer.handed().get(1).delivery())).isEqualTo("later");
            assertThat(Instant.now()).isAfterOrEqualTo(moment);
        }
    }

    @Test
    void refusesMomentsThatNoCalendarHas() {
        QueueName queue = queue();
        for (Instant moment : List.of(Instant.MIN, Instant.MAX, Instant.parse("-0001-01-01T00:00:00Z"))) {
            assertProblem(
                    () -> enqueue(queue, message("never", null, moment)), ProblemCode.INVALID_REQUEST, "notBefore");
        }
    }

    @Test
    void takesAnIdThatItHasForADuplicate() {
        QueueName queue = queue();
        UUID id = UUID.randomUUID();
        NewMessage message = new NewMessage(id, text("once"), Map.of(), null, 1, null, null);

        assertThat(enqueue(queue, message, message)).containsExactly(new Enqueued(id, false), new Enqueued(id, true));
        assertThat(enqueue(queue, message)).containsExactly(new Enqueued(id, true));
        QueueName elsewhere = queue();
        assertThat(enqueue(elsewhere, message)).containsExactly(new Enqueued(id, false));

        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            enqueue(queue, message("last", null, null));
            patiently(() -> assertThat(consumer.handed().stream().map(handed -> text(handed.delivery())))
                    .containsExactlyInAnyOrder("once", "last"));
        }
    }

    @Test
    void storesAllMessagesOfARequestOrNone() {
        QueueName queue = queue();
        NewMessage wrong = new NewMessage(null, text("b"), Map.of("", "nameless"), null, 1, null, null);
        assertProblem(
                () -> enqueue(queue, message("a", null, null), wrong), ProblemCode.INVALID_REQUEST, "messages[1].");
        assertThat(waiting(queue)).isZero();
    }

    @Test
    void deliversNothingWhilePausedAndGoesOnWhenResumed() {
        QueueName queue = queue();
        Queues queues = broker.bean(Queues.class);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            queues.setPaused(queue, true);
            broker.enqueue(queue, 3, Map.of());
            // a queue beside it gets its messages meanwhile
            QueueName beside = queue();
            broker.enqueue(beside, 3, Map.of());
            try (RecordingConsumer other = subscribe(broker, beside)) {
                awaitCount(other, 3);
            }
            assertThat(consumer.count()).isZero();

            queues.setPaused(queue, false);
            awaitCount(consumer, 3);
        }
    }

    /** A node that missed the notification used to take the queue for paused until its next consumer came. */
    @Test
    void resumesThoughNobodyTellsIt() {
        QueueName queue = queue();
        broker.bean(Queues.class).setPaused(queue, true);
        broker.enqueue(queue, 3, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            execute("update queue set paused = false where name = '" + queue + "'");
            awaitCount(consumer, 3);
        }
    }

    @Test
    void purgesAllThatIsNotLeased() {
        QueueName queue = queue();
        broker.enqueue(queue, 5, Map.of());
        enqueue(queue, message("later", Duration.ofHours(1), null));
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false)) {
            awaitCount(consumer, 1);
            assertThat(broker.bean(Queues.class).purge(queue)).isEqualTo(5);
            assertThat(waiting(queue)).isOne();

            enqueue(queue, message("after", null, null));
            consumer.request(1);
            awaitCount(consumer, 2);
            assertThat(text(consumer.handed().get(1).delivery())).isEqualTo("after");
        }
    }

    @Test
    void endsConsumersOfADeletedQueue() {
        QueueName queue = queue();
        broker.enqueue(queue, 1, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 0, false);
                RecordingConsumer ofTheDead = subscribe(broker, queue.deadLetter(), 1, false)) {
            assertProblem(
                    () -> broker.bean(Queues.class).delete(queue, false), ProblemCode.QUEUE_NOT_EMPTY, queue.value());
            broker.bean(Queues.class).delete(queue, true);

            for (RecordingConsumer ended : List.of(consumer, ofTheDead)) {
                patiently(() -> assertThat(ended.end())
                        .isNotNull()
                        .extracting(ProblemException::code)
                        .isEqualTo(ProblemCode.QUEUE_NOT_FOUND));
            }
            patiently(() -> assertProblem(
                    () -> enqueue(queue, message("too late", null, null)), ProblemCode.QUEUE_NOT_FOUND, queue.value()));
        }
    }

    @Test
    void refusesWhatPassesTheMaximumBacklog() {
        QueueName queue = queue(new SettingsChange(null, null, 5L));
        broker.enqueue(queue, 4, Map.of());
        assertProblem(
                () -> enqueue(queue, message("a", null, null), message("b", null, null)), ProblemCode.QUEUE_FULL, "5");
        enqueue(queue, message("a", Duration.ofHours(1), null));
        assertProblem(() -> enqueue(queue, message("b", null, null)), ProblemCode.QUEUE_FULL, queue.value());

        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            awaitCount(consumer, 4);
            patiently(() -> assertThat(catchThrowable(() -> enqueue(queue, message("b", null, null))))
                    .isNull());
        }
    }

    @Test
    void deliversEveryByteAsItCame() {
        QueueName queue = queue();
        byte[] bytes = new byte[512];
        IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) i);
        List<Payload> payloads = List.of(
                new Payload(bytes, Payload.Kind.BYTES),
                new Payload(new byte[0], Payload.Kind.TEXT),
                new Payload(
                        "{\"n\":12345678901234567890.10, \"nul\":\"\\u0000\"}".getBytes(StandardCharsets.UTF_8),
                        Payload.Kind.JSON));
        Map<String, String> headers = Map.of("Straße 🚀", "☕\u2028\"\\\t\u0001", "empty", "", "X", "1", "x", "2");
        for (Payload payload : payloads) {
            enqueue(queue, new NewMessage(null, payload, headers, "", 1, null, null));
        }
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            awaitCount(consumer, payloads.size());
            for (int i = 0; i < payloads.size(); i++) {
                Delivery delivery = consumer.handed().get(i).delivery();
                assertThat(delivery.payload().bytes()).isEqualTo(payloads.get(i).bytes());
                assertThat(delivery.payload().kind()).isEqualTo(payloads.get(i).kind());
                assertThat(delivery.headers()).isEqualTo(headers);
                assertThat(delivery.fairnessKey()).isEmpty();
            }
        }
    }

    private static QueueName queue() {
        return queue(new SettingsChange(null, null, null));
    }

    private static QueueName queue(SettingsChange settings) {
        QueueName queue = QueueName.of("messages-" + NUMBER.incrementAndGet());
        broker.bean(Queues.class).declare(queue, settings);
        return queue;
    }

    private static Payload text(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
    }

    private static String text(Delivery delivery) {
        return new String(delivery.payload().bytes(), StandardCharsets.UTF_8);
    }

    private static NewMessage message(String text, Duration delay, Instant notBefore) {
        return new NewMessage(null, text(text), Map.of(), null, 1, delay, notBefore);
    }

    private static List<Enqueued> enqueue(QueueName queue, NewMessage... messages) {
        return broker.bean(Messages.class)
                .enqueue(queue, List.of(messages))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    private static int waiting(QueueName queue) {
        return broker.bean(Messages.class)
                .list(queue, null, 100, null)
                .messages()
                .size();
    }

    private static void execute(String sql) {
        broker.bean(Database.class).run("run '" + sql + "'", connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private static void assertProblem(ThrowingCallable call, ProblemCode code, String said) {
        Throwable thrown = catchThrowable(call);
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        assertThat(cause).isInstanceOfSatisfying(ProblemException.class, problem -> {
            assertThat(problem.code()).isEqualTo(code);
            assertThat(problem).hasMessageContaining(said);
        });
    }

    private static void awaitCount(RecordingConsumer consumer, int count) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> consumer.count() >= count);
    }

    private static void patiently(Runnable assertion) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion::run);
    }
}
