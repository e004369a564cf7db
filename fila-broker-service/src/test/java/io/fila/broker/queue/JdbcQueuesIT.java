package io.fila.broker.queue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
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

/** What happens to queues while somebody else is at work on the same rows. */
class JdbcQueuesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static String url;
    private static TestBroker broker;
    private static Queues queues;

    private final QueueName queue = QueueName.of("queue-" + NUMBER.incrementAndGet());
    private Connection other;
    private Statement statement;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url);
        queues = broker.bean(Queues.class);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        queues.declare(queue, new SettingsChange(null, null, null));
        other = DriverManager.getConnection(url);
        statement = other.createStatement();
    }

    @AfterEach
    void disconnect() throws SQLException {
        other.close();
    }

    /** It was merged with the settings as they were before the other change, which was undone by it. */
    @Test
    void keepsAChangeThatIsMadeAtTheSameMoment() throws SQLException {
        statement.execute("begin");
        statement.execute("update queue set max_backlog = 7 where name = '" + queue + "'");

        CompletableFuture<Queue> changed = CompletableFuture.supplyAsync(
                () -> queues.change(queue, new SettingsChange(Duration.ofMinutes(2), null, null)));
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(this::isWaitedFor);
        statement.execute("commit");

        QueueSettings settings = changed.orTimeout(60, TimeUnit.SECONDS).join().settings();
        assertThat(settings.visibilityTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.maxBacklog()).isEqualTo(7);
    }

    /** A claim that did not wait for the disk could be forgotten after the queue was taken for one whose claims do. */
    @Test
    void endsFastDeliveriesWhenNoClaimIsUnderWay() throws SQLException {
        queues.change(queue, SettingsChange.of(DeliveryDurability.FAST));
        statement.execute("begin");
        statement.execute("select pg_advisory_xact_lock_shared(7433, hashint8(id)) from queue where name = '%s'"
                .formatted(queue));

        CompletableFuture<Queue> changed = CompletableFuture.supplyAsync(
                () -> queues.change(queue, SettingsChange.of(DeliveryDurability.COMMITTED)));
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(this::isWaitedFor);
        assertThat(queues.get(queue).settings().deliveryDurability()).isEqualTo(DeliveryDurability.FAST);
        statement.execute("commit");

        assertThat(changed.orTimeout(60, TimeUnit.SECONDS).join().settings().deliveryDurability())
                .isEqualTo(DeliveryDurability.COMMITTED);
    }

    /** Each waited for the claims under way, and kept others waiting meanwhile. */
    @Test
    void changesOtherSettingsWhileClaimsAreUnderWay() throws SQLException {
        statement.execute("begin");
        statement.execute("select pg_advisory_xact_lock_shared(7433, hashint8(id)) from queue where name = '%s'"
                .formatted(queue));

        for (SettingsChange change : List.of(
                new SettingsChange(Duration.ofMinutes(2), null, null),
                SettingsChange.of(DeliveryDurability.FAST),
                new SettingsChange(Duration.ofMinutes(3), null, null))) {
            CompletableFuture.supplyAsync(() -> queues.change(queue, change))
                    .orTimeout(60, TimeUnit.SECONDS)
                    .join();
        }
        statement.execute("commit");

        QueueSettings settings = queues.get(queue).settings();
        assertThat(settings.visibilityTimeout()).isEqualTo(Duration.ofMinutes(3));
        assertThat(settings.deliveryDurability()).isEqualTo(DeliveryDurability.FAST);
    }

    /** Its throttles would not have paused, since no queue with fast deliveries declared them any more. */
    @Test
    void noticesACrashBeforeItEndsFastDeliveriesOrAQueue() throws SQLException {
        queues.change(queue, SettingsChange.of(DeliveryDurability.FAST));
        subscribe(broker, queue, throttle("kept-" + queue, "5/1h"));

        statement.execute("delete from server_run");
        queues.declare(queue, SettingsChange.NONE);
        assertThat(pauses()).isOne();

        queues.change(queue, SettingsChange.of(DeliveryDurability.FAST));
        statement.execute("update throttle set complete_from = null; delete from server_run");
        queues.delete(queue, true);
        assertThat(pauses()).isOne();
    }

    private long pauses() throws SQLException {
        try (var row = statement.executeQuery("select count(*) from throttle where complete_from is not null")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void keepsSettingsAsTheyWereGiven() {
        Ordering order = Ordering.parse("ordering", List.of("header:account", "fairnessKey"), WhenKeyMissing.UNORDERED);
        QueueName name = new QueueName(queue + "-given");
        queues.declare(
                name,
                new SettingsChange(
                        Duration.ofMinutes(2),
                        null,
                        Optional.of(9L),
                        order,
                        DeliveryDurability.FAST,
                        Optional.of(Duration.ofDays(14))));

        QueueSettings settings = queues.get(name).settings();
        assertThat(settings)
                .isEqualTo(new QueueSettings(
                        Duration.ofMinutes(2),
                        RetryPolicy.DEFAULT,
                        9L,
                        order,
                        DeliveryDurability.FAST,
                        Duration.ofDays(14)));
        assertThat(queues.get(name.deadLetter()).settings()).isEqualTo(QueueSettings.DEFAULT);

        queues.declare(name, SettingsChange.NONE);
        assertThat(queues.get(name).settings()).isEqualTo(QueueSettings.defaultsWith(order));
        queues.declare(name, SettingsChange.of(order));
    }

    @Test
    void refusesAnotherOrderOnceTheQueueIsThere() {
        Ordering whole = new Ordering(List.of(), WhenKeyMissing.REJECT);
        QueueName ordered = new QueueName(queue + "-ordered");
        queues.declare(ordered, SettingsChange.of(whole));
        assertThat(queues.get(ordered).settings().ordering()).isEqualTo(whole);

        Ordering other = Ordering.parse("ordering", List.of("header:account"), WhenKeyMissing.REJECT);
        for (QueueName name : List.of(ordered, queue)) {
            assertThatThrownBy(() -> queues.declare(name, SettingsChange.of(other)))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.code()).isEqualTo(ProblemCode.IMMUTABLE_SETTING))
                    .hasMessageContainingAll("ordering", name.value());
            assertThatThrownBy(() -> queues.change(name, SettingsChange.of(other)))
                    .isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void refusesRetentionOnTheDeadLetterQueueItself() {
        SettingsChange kept = new SettingsChange(null, null, null, null, null, Optional.of(Duration.ofDays(14)));
        assertThatThrownBy(() -> queues.change(queue.deadLetter(), kept))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("deadLetterRetention");
    }

    /** All went in one statement, which the timeout of its connection cut off when there were many. */
    @Test
    void purgesInBatches() throws SQLException {
        store(25_000);
        lockTheLastMessage();

        CompletableFuture<Long> purged = CompletableFuture.supplyAsync(() -> queues.purge(queue));
        awaitAtMost(5_000);
        statement.execute("commit");

        assertThat(purged.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(25_000);
        assertThat(count()).isZero();
    }

    @Test
    void leavesWhatComesDuringAPurge() throws SQLException {
        store(25_000);
        lockTheLastMessage();

        CompletableFuture<Long> purged = CompletableFuture.supplyAsync(() -> queues.purge(queue));
        awaitAtMost(5_000);
        store(10);
        statement.execute("commit");

        assertThat(purged.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(25_000);
        assertThat(count()).isEqualTo(10);
    }

    @Test
    void emptiesInBatchesWhatItDeletesByForce() throws SQLException {
        store(25_000);
        lockTheLastMessage();

        CompletableFuture<Void> deleted = CompletableFuture.runAsync(() -> queues.delete(queue, true));
        awaitAtMost(5_000);
        store(10);
        statement.execute("commit");

        deleted.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(count()).isZero();
        assertThat(queues.find(queue)).isEmpty();
    }

    private boolean isWaitedFor() throws SQLException {
        try (var row = statement.executeQuery(
                "select exists (select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid)))")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private void store(int count) throws SQLException {
        statement.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload)
                select q.id, gen_random_uuid(), md5('')::uuid, 0, 0, ''
                from queue q, generate_series(1, %d)
                where q.name = '%s'
                """.formatted(count, queue));
    }

    private void lockTheLastMessage() throws SQLException {
        statement.execute("begin");
        statement.execute("select 1 from message where sequence = (select max(sequence) from message) for update");
    }

    private void awaitAtMost(int most) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> count() <= most);
    }

    private long count() throws SQLException {
        try (var row = statement.executeQuery("select count(*) from message")) {
            row.next();
            return row.getLong(1);
        }
    }
}
