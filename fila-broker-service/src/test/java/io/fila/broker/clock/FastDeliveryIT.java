package io.fila.broker.clock;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.fila.broker.OwnPostgres;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.RecordingConsumer.Handed;
import io.fila.broker.TestBroker;
import io.fila.broker.message.Settlement.Ack;
import io.fila.broker.queue.DeliveryDurability;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.stats.BucketStats;
import io.fila.broker.stats.Stats;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Crashes of the database that forget fast deliveries. Every commit that waits for the disk takes along all that came before it, and
 * the writer of the log would do so soon: so it is slowed down, and a crash comes right after deliveries, between two heartbeats.
 */
class FastDeliveryIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than the database and the broker take to be back, or what was forgotten would be delivered again too late to be too much. */
    private static final Duration WINDOW = Duration.ofSeconds(8);

    @TempDir
    static Path directory;

    private static OwnPostgres postgres;
    private static TestBroker broker;

    private final String name = "t-" + UUID.randomUUID();

    /** What is done to the database. */
    @FunctionalInterface
    private interface Harm {
        void done() throws Exception;
    }

    @BeforeAll
    static void start() {
        postgres = OwnPostgres.start(directory, Map.of("wal_writer_delay", "10s"));
        broker = TestBroker.start(postgres.url());
    }

    @AfterAll
    static void stop() {
        broker.close();
        postgres.close();
    }

    @Test
    void passesNoLimitAndLosesNothingWhenTheDatabaseIsKilled() throws Exception {
        passesNoLimitAndLosesNothingWhen(() -> {
            postgres.kill();
            postgres.startAgain();
        });
    }

    /** The server's main process lives on, and was started when it was. */
    @Test
    void passesNoLimitAndLosesNothingWhenOneSessionIsKilled() throws Exception {
        String started = text("select pg_postmaster_start_time()");

        passesNoLimitAndLosesNothingWhen(postgres::killSession);

        assertThat(text("select pg_postmaster_start_time()")).isEqualTo(started);
    }

    private void passesNoLimitAndLosesNothingWhen(Harm harm) throws Exception {
        QueueName queue = queue(DeliveryDurability.FAST);
        broker.enqueue(queue, 30, Map.of());
        try (RecordingConsumer consumer =
                subscribe(broker, queue, 10, false, throttle(name, "20/" + WINDOW.toSeconds() + "s"))) {
            awaitCount(consumer, 10);
            Set<UUID> acknowledged = acknowledge(consumer);
            awaitHeartbeat();
            // not all that there is room for, or the node would wait for room without looking
            consumer.request(9);
            awaitCount(consumer, 19);
            harm.done();
            awaitNoticed();
            List<Handed> forgotten = consumer.handed().subList(10, 19);
            assumeThat(leased(forgotten)).as("leases that are not forgotten").isZero();

            consumer.request(20);
            awaitCount(consumer, 39);

            assertThat(consumer.mostInAny(WINDOW)).isLessThanOrEqualTo(20);
            List<Handed> after = consumer.handed().subList(19, 39);
            assertThat(ids(after)).hasSize(20).containsAll(ids(forgotten)).doesNotContainAnyElementsOf(acknowledged);
            // it is not known that there was another
            assertThat(after).allMatch(one -> one.delivery().attempt() == 1);
        }
    }

    @Test
    void pausesNothingOverAnOrderlyRestart() throws Exception {
        QueueName queue = queue(DeliveryDurability.FAST);
        broker.enqueue(queue, 20, Map.of());
        try (RecordingConsumer consumer = subscribe(broker, queue, 10, true, throttle(name, "20/1h"))) {
            awaitCount(consumer, 10);
            postgres.stop();
            postgres.startAgain();
            consumer.request(10);
            awaitCount(consumer, 20);

            assertThat(completeFrom(name)).isNull();
        }
    }

    @Test
    void pausesAThrottleForAllItsQueuesAndNoOther() throws Exception {
        QueueName fast = queue(DeliveryDurability.FAST);
        QueueName shared = queue(DeliveryDurability.COMMITTED);
        QueueName other = queue(DeliveryDurability.COMMITTED);
        Duration window = Duration.ofSeconds(1);
        for (QueueName queue : List.of(fast, shared, other)) {
            broker.enqueue(queue, 1, Map.of());
        }
        try (RecordingConsumer there = subscribe(broker, fast, 0, true, throttle(name, "5/1s"));
                RecordingConsumer here = subscribe(broker, shared, 0, true, throttle(name, "5/1s"));
                RecordingConsumer apart = subscribe(broker, other, 0, true, throttle(name + "-apart", "5/1s"))) {
            crash();
            long noticed = System.nanoTime();
            for (RecordingConsumer consumer : List.of(there, here, apart)) {
                consumer.request(1);
            }
            awaitCount(apart, 1);
            assertThat(there.count() + here.count()).isZero();
            var roomAt = completeFrom(name).plus(window).toInstant();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> roomAt.equals(bucket(name).roomAt()));
            assertThat(bucket(name + "-apart").closedUntil()).isNull();

            awaitCount(there, 1);
            awaitCount(here, 1);
            for (RecordingConsumer consumer : List.of(there, here)) {
                assertThat(consumer.handed().get(0).at() - noticed).isGreaterThan(window.toNanos());
            }
        }
    }

    private static BucketStats bucket(String throttle) {
        return broker.bean(Stats.class).bucket(throttle, List.of());
    }

    @Test
    void goesByTheSettingAsItIs() throws Exception {
        QueueName queue = queue(DeliveryDurability.COMMITTED);
        try (RecordingConsumer consumer = subscribe(broker, queue, throttle(name, "5/1h"))) {
            crash();
            assertThat(completeFrom(name)).isNull();

            set(queue, DeliveryDurability.FAST);
            crash();
            var complete = completeFrom(name);
            assertThat(complete).isNotNull();

            set(queue, DeliveryDurability.COMMITTED);
            crash();
            assertThat(completeFrom(name)).isEqualTo(complete);
            assertThat(consumer.end()).isNull();
        }
    }

    private static void crash() throws Exception {
        postgres.killSession();
        awaitNoticed();
    }

    private QueueName queue(DeliveryDurability durability) {
        QueueName queue = broker.createQueue("q-" + UUID.randomUUID());
        set(queue, durability);
        return queue;
    }

    private static void set(QueueName queue, DeliveryDurability durability) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> broker.bean(Queues.class)
                                .change(queue, SettingsChange.of(durability))
                                .settings()
                                .deliveryDurability()
                        == durability);
    }

    /** Acknowledges what it has; those are on disk, and so is that they were leased. */
    private static Set<UUID> acknowledge(RecordingConsumer consumer) {
        List<Handed> handed = consumer.handed();
        assertThat(consumer.stream()
                        .settle(handed.stream()
                                .map(one -> new Ack(one.delivery().lease()))
                                .toList())
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join())
                .isEmpty();
        return ids(handed);
    }

    private static Set<UUID> ids(List<Handed> handed) {
        return handed.stream().map(one -> one.delivery().id()).collect(Collectors.toCollection(HashSet::new));
    }

    private static void awaitCount(RecordingConsumer consumer, int count) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> consumer.count() >= count);
    }

    /** A node's heartbeat waits for the disk, and takes along what was committed before; the next comes a second later. */
    private static void awaitHeartbeat() throws Exception {
        String beat = "select max(marked_at) from clock_mark";
        String before = text(beat);
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !text(beat).equals(before));
    }

    private static void awaitNoticed() {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> text("select count(*) from server_run").equals("1"));
    }

    private static OffsetDateTime completeFrom(String throttle) throws Exception {
        return read(
                "select complete_from from throttle where name = '" + throttle + "'",
                row -> row.getObject(1, OffsetDateTime.class));
    }

    private static long leased(List<Handed> handed) throws Exception {
        String leases = handed.stream()
                .map(one -> "'" + one.delivery().lease().claim() + "'")
                .distinct()
                .collect(Collectors.joining(", "));
        return read("select count(*) from message where lease in (" + leases + ")", row -> row.getLong(1));
    }

    private static String text(String sql) throws Exception {
        return read(sql, row -> row.getString(1));
    }

    @FunctionalInterface
    private interface Column<T> {
        T of(ResultSet row) throws SQLException;
    }

    private static <T> T read(String sql, Column<T> column) throws SQLException {
        try (Connection connection = DriverManager.getConnection(postgres.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return column.of(row);
        }
    }
}
