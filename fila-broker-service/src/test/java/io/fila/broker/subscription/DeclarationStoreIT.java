package io.fila.broker.subscription;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fila.broker.TestDatabase;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Who may change a throttle's key, without a broker that ends what is over meanwhile. */
class DeclarationStoreIT {

    private static final ThrottleDeclaration BY_CUSTOMER =
            throttle("stripe", List.of("header:customer"), MissingKey.SHARED_BUCKET, "10/1s");
    private static final ThrottleDeclaration BY_ACCOUNT =
            throttle("stripe", List.of("header:account"), MissingKey.SHARED_BUCKET, "10/1s");

    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private Database database;
    private SubscriptionStore store;
    private Queue orders;
    private Queue refunds;

    @BeforeEach
    void open() {
        source.setURL(TestDatabase.create());
        database = new Database(source);
        store = new SubscriptionStore(database, new Timeline(database, Failover.SYNCHRONOUS), new DeclarationStore());
        orders = queue("orders");
        refunds = queue("refunds");
    }

    /** The key was reset while the node's declaration was there: when it beat again there were two keys in force. */
    @Test
    void keepsTheKeyThatALapsedNodesConsumersDeclare() {
        UUID lapsed = node(Duration.ofMinutes(1));
        UUID subscription = accept(orders, lapsed, BY_CUSTOMER);

        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> accept(refunds, node(Duration.ZERO), BY_ACCOUNT))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.THROTTLE_CONFLICT))
                .withMessageContaining("[header:customer]");
        assertThat(text("select key[1] from throttle")).isEqualTo("header:customer");

        store.endIfDead(subscription);
        accept(refunds, node(Duration.ZERO), BY_ACCOUNT);
        assertThat(text("select key[1] from throttle")).isEqualTo("header:account");
    }

    @Test
    void letsTheKeyOfAnExpiredSubscriptionGo() {
        store.accept(UUID.randomUUID(), orders, "test", null, Duration.ofSeconds(60), List.of(BY_CUSTOMER));
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> accept(refunds, node(Duration.ZERO), BY_ACCOUNT));
        execute("update subscription set expires_at = clock_timestamp() - interval '1 ms' where node_id is null");

        assertThatCode(() -> accept(refunds, node(Duration.ZERO), BY_ACCOUNT)).doesNotThrowAnyException();
    }

    /** It locked other queues first, and its own last: a deadlock with whoever accepted a subscription meanwhile. */
    @Test
    void locksQueuesInTheirOrderWhenASubscriptionEnds() throws Exception {
        UUID strict = accept(orders, node(Duration.ZERO), BY_CUSTOMER);
        accept(
                refunds,
                node(Duration.ZERO),
                throttle("stripe", List.of("header:customer"), MissingKey.UNTHROTTLED, "10/1s"));
        CompletableFuture<?> end;
        try (Connection first = source.getConnection();
                Connection second = source.getConnection()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            lock(first, orders, "update");

            end = CompletableFuture.runAsync(() -> store.end(strict));

            await().atMost(Duration.ofMinutes(1))
                    .until(() -> text("select count(*) from pg_locks where not granted"), "1"::equals);
            assertThat(lock(second, refunds, "no key update skip locked")).isTrue();
        }
        end.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(text("select count(*) from subscription")).isEqualTo("1");
    }

    /** What others have under way goes by older rules; if there is none of that, nobody needs to wait. */
    @Test
    void saysWhetherASubscriptionBindsMessagesOfOthers() {
        ThrottleDeclaration stricter = throttle("stripe", List.of("header:customer"), MissingKey.SHARED_BUCKET, "5/1s");

        assertThat(bindsOthers(orders, BY_CUSTOMER)).as("the first").isFalse();
        // the first may still be waiting for what was claimed before
        assertThat(bindsOthers(orders, BY_CUSTOMER)).as("the same again").isTrue();
        assertThat(bindsOthers(orders)).as("without throttles").isFalse();
        assertThat(bindsOthers(refunds, BY_CUSTOMER))
                .as("the same on another queue")
                .isTrue();
        assertThat(bindsOthers(refunds, BY_CUSTOMER, throttle("all", "5/1s")))
                .as("one more")
                .isTrue();
        assertThat(bindsOthers(refunds, stricter)).as("a stricter limit").isTrue();
        assertThat(bindsOthers(queue("empty"), throttle("new", "5/1s")))
                .as("a first one")
                .isFalse();
        assertThat(bindsOthers(queue("other"), throttle("new", "4/1s")))
                .as("stricter, with consumers on another queue")
                .isTrue();
    }

    private boolean bindsOthers(Queue queue, ThrottleDeclaration... throttles) {
        return store.accept(UUID.randomUUID(), queue, "test", null, Duration.ofSeconds(60), List.of(throttles))
                .bindsOthers();
    }

    private static boolean lock(Connection connection, Queue queue, String how) throws SQLException {
        try (var statement = connection.createStatement();
                var row =
                        statement.executeQuery("select 1 from queue where id = %d for %s".formatted(queue.id(), how))) {
            return row.next();
        }
    }

    private UUID accept(Queue queue, UUID node, ThrottleDeclaration throttle) {
        UUID id = UUID.randomUUID();
        store.accept(id, queue, "test", node, null, List.of(throttle));
        return id;
    }

    private UUID node(Duration unseenFor) {
        UUID id = UUID.randomUUID();
        execute("insert into node values ('%s', 'test', clock_timestamp() - interval '%d ms')"
                .formatted(id, unseenFor.toMillis()));
        return id;
    }

    private Queue queue(String name) {
        long id = Long.parseLong(text("""
                insert into queue (name, visibility_timeout_ms, max_attempts, initial_backoff_ms, backoff_multiplier,
                                   max_backoff_ms, backoff_jitter)
                values ('%s', 30000, 3, 1000, 2, 60000, 0.1)
                returning id
                """.formatted(name)));
        return new Queue(id, QueueName.of(name), QueueSettings.DEFAULT, false, null, List.of());
    }

    private void execute(String sql) {
        database.run("prepare a test", connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private String text(String sql) {
        return database.run("read for a test", connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            }
        });
    }
}
