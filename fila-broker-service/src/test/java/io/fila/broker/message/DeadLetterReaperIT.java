package io.fila.broker.message;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What goes from dead letter queues when its time is over, and what stays. Two nodes sweep every second. */
@ExtendWith(OutputCaptureExtension.class)
class DeadLetterReaperIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration RETENTION = Duration.ofHours(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static String url;
    private static List<TestBroker> brokers;

    private final QueueName queue = QueueName.of("reaped-" + NUMBER.incrementAndGet());
    private DeadLetterRows rows;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        String often = "fila.broker.dead-letters.sweep-interval=1s";
        brokers = List.of(TestBroker.start(url, often), TestBroker.start(url, often));
    }

    @AfterAll
    static void stop() {
        brokers.forEach(TestBroker::close);
    }

    @BeforeEach
    void connect() throws SQLException {
        rows = new DeadLetterRows(url);
        queues().declare(queue, SettingsChange.NONE);
    }

    @AfterEach
    void close() throws SQLException {
        rows.close();
    }

    @Test
    void removesWhatWasDeadLetteredTooLongAgo(CapturedOutput output) {
        List<UUID> old = rows.store(queue, MessageState.READY, 2_500);
        age(old, "2 hours");
        List<UUID> young = rows.store(queue, MessageState.READY, 3);
        age(young, "50 minutes");

        keepFor(RETENTION);

        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEqualTo(young));
        patiently().until(() -> expired() == 2_500);
        assertThat(output.getOut()
                        .lines()
                        .filter(line -> line.contains("deadLetterRetention") && line.contains(queue.value())))
                .as("a line for each node's sweep that found some")
                .hasSizeBetween(1, brokers.size());
    }

    @Test
    void leavesWhatAConsumerIsHandlingToALaterSweep() {
        List<UUID> leased = rows.store(queue, MessageState.LEASED, 1_200);
        List<UUID> delayed = rows.store(queue, MessageState.DELAYED, 2);
        List<UUID> parked = rows.store(queue, MessageState.UNCLASSIFIED, 2);
        for (List<UUID> old : List.of(leased, delayed, parked)) {
            age(old, "2 hours");
        }

        keepFor(RETENTION);

        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEqualTo(leased));
        rows.execute(
                "update message set state = 0, lease = null, lease_until = null where id = any (?)",
                rows.array(leased));
        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEmpty());
    }

    @Test
    void waitsForNobodyWhoHasAMessage() {
        List<UUID> old = rows.store(queue, MessageState.READY, 10);
        age(old, "2 hours");
        rows.execute("begin");
        rows.execute("select 1 from message where id = ? for update", old.get(0));
        // declared on another connection while this one is in the way
        keepFor(RETENTION);

        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).containsExactly(old.get(0)));
        rows.execute("commit");

        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEmpty());
    }

    @Test
    void goesByTheRetentionOfTheMoment() {
        List<UUID> old = rows.store(queue, MessageState.READY, 2);
        age(old, "2 hours");
        keepFor(Duration.ofHours(3));
        sweptOnce();
        assertThat(rows.in(queue.deadLetter())).isEqualTo(old);

        queues().change(queue, new SettingsChange(null, null, null, null, null, Optional.empty()));
        sweptOnce();
        assertThat(rows.in(queue.deadLetter())).isEqualTo(old);

        keepFor(RETENTION);
        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEmpty());
    }

    /** Their times were not known before the migration: they count as having come with it. */
    @Test
    void keepsDeadLettersWithoutATimeForTheRetentionFromTheMigrationOn() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 2);
        rows.execute(
                "update message set dead_lettered_at = null, enqueued_at = enqueued_at - interval '1 year' where id = any (?)",
                rows.array(dead));
        keepFor(RETENTION);
        sweptOnce();
        assertThat(rows.in(queue.deadLetter())).isEqualTo(dead);

        rows.execute(
                "update queue set dead_letters_timed_from = dead_letters_timed_from - interval '2 hours' where name = ?",
                queue.value());
        patiently().untilAsserted(() -> assertThat(rows.in(queue.deadLetter())).isEmpty());
    }

    @Test
    void doesNotTouchTheQueueItself() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 3);
        age(dead, "2 hours");
        assertThat(brokers.get(0)
                        .bean(Redrives.class)
                        .redrive(queue, 3, Reclassify.ALL)
                        .moved())
                .isEqualTo(3);
        keepFor(RETENTION);
        sweptOnce();

        assertThat(rows.in(queue)).isEqualTo(dead);
    }

    /** Waits until a sweep that began after this call has ended: it removes what another queue has, whose turn comes later. */
    private void sweptOnce() {
        for (int sweep = 0; sweep < 2; sweep++) {
            QueueName marker = QueueName.of("reaped-" + NUMBER.incrementAndGet());
            queues().declare(marker, new SettingsChange(null, null, null, null, null, Optional.of(RETENTION)));
            age(rows.store(marker, MessageState.READY, 1), "2 hours");
            patiently()
                    .untilAsserted(
                            () -> assertThat(rows.in(marker.deadLetter())).isEmpty());
        }
    }

    private void keepFor(Duration retention) {
        queues().change(queue, new SettingsChange(null, null, null, null, null, Optional.of(retention)));
    }

    private void age(List<UUID> ids, String by) {
        rows.execute(
                "update message set dead_lettered_at = clock_timestamp() - ?::interval where id = any (?)",
                by,
                rows.array(ids));
    }

    private double expired() {
        return brokers.stream()
                .map(broker -> broker.bean(MeterRegistry.class)
                        .find("fila.message.expired")
                        .tag("queue", queue.deadLetter().value())
                        .counter())
                .mapToDouble(counter -> counter == null ? 0 : counter.count())
                .sum();
    }

    private static Queues queues() {
        return brokers.get(0).bean(Queues.class);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
