package io.fila.broker.message;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Redriven.Kept;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.MissingKey;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** How dead letters come back, and what becomes of those that do not. */
class RedriveIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Kept NOTHING = new Kept(0, 0, 0, 0, 0);

    private static String url;
    private static TestBroker broker;

    private final QueueName queue = QueueName.of("redriven-" + NUMBER.incrementAndGet());
    private DeadLetterRows rows;

    /** With a sweep so rare that what arrives in time was announced. */
    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url, "fila.broker.pacing.sweep-interval=10m");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void declare() throws SQLException {
        queues().declare(queue, SettingsChange.NONE);
        rows = new DeadLetterRows(url);
    }

    @AfterEach
    void close() throws SQLException {
        rows.close();
    }

    @Test
    void bringsAMessageBackAsANewArrivalWithItsHistory() {
        Instant before = Instant.now().minus(PATIENCE);
        try (RecordingConsumer consumer = subscribe(broker, queue, 1, false)) {
            broker.enqueue(queue, 1, Map.of());
            Delivery delivery = delivery(consumer, 1);
            UUID id = delivery.id();
            settle(consumer, 1, lease -> new Settlement.Nack(lease, "malformed", null, true));
            assertThat(view(id).queue()).isEqualTo(queue.deadLetter());
            assertThat(view(id).deadLetteredAt())
                    .isBetween(before, Instant.now().plus(PATIENCE));
            broker.enqueue(queue, 1, Map.of());

            assertThat(redrive(10)).isEqualTo(new Redriven(1, NOTHING));

            assertThat(rows.in(queue)).hasSize(2).last().isEqualTo(id);
            MessageView back = view(id);
            assertThat(back.state()).isEqualTo(MessageState.READY);
            assertThat(back.attempts()).isZero();
            assertThat(back.redrives()).isOne();
            assertThat(back.deadLetteredAt()).isNull();
            assertThat(back.failures()).extracting(MessageView.Failure::error).containsExactly("malformed");
            consumer.request(2);
            Delivery again = delivery(consumer, 3);
            assertThat(again.id()).isEqualTo(id);
            assertThat(again.attempt()).isOne();
            assertThat(again.redrives()).isOne();
        }
    }

    @Test
    void takesTheOldestFirstAndKeepsTheirOrder() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 1_700);

        assertThat(redrive(1_200)).isEqualTo(new Redriven(1_200, new Kept(0, 0, 0, 0, 500)));

        assertThat(rows.in(queue)).isEqualTo(dead.subList(0, 1_200));
        assertThat(rows.in(queue.deadLetter())).isEqualTo(dead.subList(1_200, 1_700));
        assertThat(broker.bean(Redrives.class).redrive(queue.deadLetter(), 1_000, Reclassify.NONE))
                .isEqualTo(new Redriven(500, NOTHING));
        assertThat(rows.in(queue)).isEqualTo(dead);
    }

    @Test
    void accountsForEveryMessageThatStays() {
        rows.store(queue, MessageState.LEASED, 600);
        List<UUID> ready = rows.store(queue, MessageState.READY, 6);
        rows.store(queue, MessageState.DELAYED, 3);
        rows.store(queue, MessageState.UNCLASSIFIED, 4);
        copy(ready.get(0));

        assertThat(redrive(3)).isEqualTo(new Redriven(3, new Kept(4, 1, 600, 3, 2)));

        assertThat(rows.in(queue)).isEqualTo(ready.subList(0, 4));
        assertThat(redrive(100)).isEqualTo(new Redriven(2, new Kept(4, 1, 600, 3, 0)));
    }

    /** Their lane in the dead letter queue would not tell them apart, and the buckets of one would hold those of another. */
    @Test
    void placesMessagesInTheLanesOfTheirQueue() {
        try (RecordingConsumer consumer = subscribe(
                broker,
                queue,
                Integer.MAX_VALUE,
                true,
                throttle(queue.value(), List.of("header:customer"), MissingKey.SHARED_BUCKET, "1/1h"))) {
            rows.store(queue, MessageState.READY, 14);

            assertThat(redrive(100).moved()).isEqualTo(14);

            patiently().until(() -> consumer.count() == 7);
            LaneKey key = new LaneKey(List.of(KeyComponent.parse("key", "header:customer")));
            List<MessageView> waiting = broker.bean(Messages.class)
                    .list(queue, MessageState.READY, 100, null)
                    .messages();
            assertThat(waiting)
                    .hasSize(7)
                    .allSatisfy(message -> assertThat(
                                    rows.ids("select lane from message where id = '%s'".formatted(message.id())))
                            .containsExactly(key.laneOf(message)));
            assertThat(waiting)
                    .extracting(message -> message.headers().get("customer"))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void waitsForTheMomentThatTheEnqueueGave() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 3);
        rows.execute("update message set not_before = clock_timestamp() + interval '1 hour' where id = ?", dead.get(0));
        rows.execute(
                "update message set not_before = clock_timestamp() + interval '1 second' where id = ?", dead.get(1));
        rows.execute("update message set not_before = clock_timestamp() where id = ?", dead.get(2));

        assertThat(redrive(100).moved()).isEqualTo(3);

        assertThat(view(dead.get(0)).state()).isEqualTo(MessageState.DELAYED);
        assertThat(view(dead.get(0)).notBefore()).isAfter(Instant.now().plusSeconds(60));
        assertThat(view(dead.get(2)).notBefore()).isNull();
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            assertThat(delivery(consumer, 1).id()).isEqualTo(dead.get(2));
            assertThat(delivery(consumer, 2).id()).isEqualTo(dead.get(1));
        }
    }

    @Test
    void remembersTheMomentThatTheEnqueueGaveIfItLayAhead() {
        Instant ahead = Instant.now().plus(Duration.ofDays(30)).truncatedTo(ChronoUnit.SECONDS);
        UUID delayed = enqueue(message(null, null, ahead), queue);
        UUID overdue = enqueue(message(null, null, Instant.parse("1969-07-20T20:17:40Z")), queue);
        UUID later = enqueue(message(null, Duration.ofHours(1), null), queue);

        String moment = "select extract(epoch from not_before) from message where id = ?";
        assertThat(rows.number(moment, delayed)).isEqualTo(ahead.getEpochSecond());
        assertThat(rows.number(
                        "select count(*) from message where not_before = available_at and id in (?, ?)",
                        delayed,
                        later))
                .isEqualTo(2);
        assertThat(rows.number("select count(*) from message where not_before is null and id = ?", overdue))
                .isOne();
    }

    @Test
    void leavesAMessageToTheConsumerThatHasIt() {
        rows.store(queue, MessageState.READY, 2);
        try (RecordingConsumer undertaker = subscribe(broker, queue.deadLetter(), 1, false)) {
            delivery(undertaker, 1);

            assertThat(redrive(100)).isEqualTo(new Redriven(1, new Kept(0, 0, 1, 0, 0)));

            settle(undertaker, 1, Settlement.Release::new);
        }
        assertThat(redrive(100)).isEqualTo(new Redriven(1, NOTHING));
    }

    @Test
    void movesMessagesToAPausedQueueWhereTheyWait() {
        rows.store(queue, MessageState.READY, 3);
        queues().setPaused(queue, true);
        try (RecordingConsumer consumer = subscribe(broker, queue)) {
            assertThat(redrive(100)).isEqualTo(new Redriven(3, NOTHING));
            assertThat(consumer.count()).isZero();

            queues().setPaused(queue, false);
            delivery(consumer, 3);
        }
    }

    @Test
    void mayPassTheMaximumBacklogWhichProducersThenMeet() {
        queues().change(queue, new SettingsChange(null, null, 2L));
        rows.store(queue, MessageState.READY, 5);

        assertThat(redrive(100)).isEqualTo(new Redriven(5, NOTHING));

        assertThat(broker.bean(Messages.class).enqueue(queue, List.of(message(null, null, null))))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.code()).isEqualTo(ProblemCode.QUEUE_FULL));
    }

    @Test
    void joinsTheBackOfItsOrderingGroup() {
        QueueName ordered = new QueueName(queue + "-ordered");
        queues().declare(ordered, SettingsChange.of(byCustomer(WhenKeyMissing.REJECT)));
        try (RecordingConsumer consumer = subscribe(broker, ordered, 1, false)) {
            broker.enqueue(ordered, 2, Map.of("customer", "acme"));
            UUID failed = delivery(consumer, 1).id();
            settle(consumer, 1, lease -> new Settlement.Nack(lease, "malformed", null, true));
            consumer.request(1);
            UUID second = delivery(consumer, 2).id();

            assertThat(broker.bean(Redrives.class).redrive(ordered, 100, Reclassify.ALL))
                    .isEqualTo(new Redriven(1, NOTHING));

            assertThat(rows.in(ordered)).containsExactly(second, failed);
            assertThat(rows.number(
                            "select count(distinct lane) from message where ordered and id in (?, ?)", second, failed))
                    .isOne();
            consumer.request(1);
            settle(consumer, 2, Settlement.Ack::new);
            assertThat(delivery(consumer, 3).id()).isEqualTo(failed);
        }
    }

    /** It was sent to the dead letter queue as it is: an enqueue to the queue would have refused it. */
    @Test
    void rejectsWhatLacksTheOrderingKeyIfTheQueueDoes() {
        for (WhenKeyMissing policy : WhenKeyMissing.values()) {
            QueueName ordered = new QueueName(queue + "-" + policy);
            queues().declare(ordered, SettingsChange.of(byCustomer(policy)));
            rows.store(ordered, MessageState.READY, 2);
            UUID keyless = enqueue(message(null, null, null), ordered.deadLetter());

            Redriven redriven = broker.bean(Redrives.class).redrive(ordered, 100, Reclassify.ALL);

            if (policy == WhenKeyMissing.REJECT) {
                assertThat(redriven).isEqualTo(new Redriven(2, new Kept(0, 1, 0, 0, 0)));
                assertThat(rows.in(ordered.deadLetter())).containsExactly(keyless);
            } else {
                assertThat(redriven).isEqualTo(new Redriven(3, NOTHING));
                assertThat(rows.number("select count(*) from message where ordered and id = ?", keyless))
                        .isZero();
            }
        }
    }

    @Test
    void refusesCountsOutOfRange() {
        for (int count : new int[] {0, -1, 100_001}) {
            assertThatThrownBy(() -> redrive(count))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_REQUEST))
                    .hasMessage("count: expected 1 to 100000, got " + count);
        }
    }

    private Redriven redrive(int count) {
        return broker.bean(Redrives.class).redrive(queue, count, Reclassify.ALL);
    }

    /** Stores a message of that id in the queue, as an enqueue does that has not seen the dead letter. */
    private void copy(UUID id) {
        rows.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload)
                select id, ?, md5('')::uuid, 0, 0, '' from queue where name = ?
                """, id, queue.value());
    }

    private static Ordering byCustomer(WhenKeyMissing policy) {
        return Ordering.parse("ordering", List.of("header:customer"), policy);
    }

    /** Settles the n-th delivery, from 1. */
    private static void settle(RecordingConsumer consumer, int number, Function<Lease, Settlement> how) {
        assertThat(consumer.stream()
                        .settle(List.of(how.apply(delivery(consumer, number).lease())))
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join())
                .isEmpty();
    }

    private static Queues queues() {
        return broker.bean(Queues.class);
    }

    private static NewMessage message(UUID id, Duration delay, Instant notBefore) {
        Payload payload = new Payload(new byte[0], Payload.Kind.TEXT);
        return new NewMessage(id, payload, Map.of(), null, 1, delay, notBefore);
    }

    private static UUID enqueue(NewMessage message, QueueName queue) {
        return broker.bean(Messages.class)
                .enqueue(queue, List.of(message))
                .orTimeout(30, TimeUnit.SECONDS)
                .join()
                .get(0)
                .id();
    }

    private static MessageView view(UUID id) {
        return broker.bean(Messages.class).get(id);
    }

    /** Waits for the n-th delivery, from 1. */
    private static Delivery delivery(RecordingConsumer consumer, int number) {
        patiently().until(() -> consumer.count() >= number);
        return consumer.handed().get(number - 1).delivery();
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
