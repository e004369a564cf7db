package io.fila.broker.clock;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.mostInAny;
import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The clock that PostgreSQL reports is set, and the server is another one, while deliveries run. Both are functions that the
 * database looks up before its own; what was delivered is measured by this machine's monotonic clock.
 */
class ClockStepIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String[] LIMITS = {"10/1s", "30/5s"};

    private final String url = TestDatabase.create();

    @BeforeEach
    void putTheClockIntoOurHands() throws SQLException {
        execute(
                "create schema hands",
                "create table hands.settings (shift interval not null, restarted interval not null)",
                "insert into hands.settings values ('0 s', '0 s')",
                "create function hands.clock_timestamp() returns timestamptz language sql volatile"
                        + " as 'select pg_catalog.clock_timestamp() + shift from hands.settings'",
                "create function hands.pg_postmaster_start_time() returns timestamptz language sql volatile"
                        + " as 'select pg_catalog.pg_postmaster_start_time() + restarted from hands.settings'",
                "do $$ begin execute format('alter database %I set search_path = hands, pg_catalog, public',"
                        + " current_database()); end $$");
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private void setClock(String shift) throws SQLException {
        execute("update hands.settings set shift = '" + shift + "'");
    }

    private long generation() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select generation from public.clock")) {
            row.next();
            return row.getLong(1);
        }
    }

    private TestBroker start() {
        // the schema is there; and a migration would go to the schema that is looked into first
        return TestBroker.start(url, "spring.flyway.enabled=false");
    }

    private static void awaitCount(int count, RecordingConsumer... consumers) {
        await().atMost(PATIENCE)
                .until(() -> List.of(consumers).stream()
                                .mapToInt(RecordingConsumer::count)
                                .sum()
                        >= count);
    }

    private void deliversWithinLimitsWhile(String firstShift, String secondShift) throws SQLException {
        try (TestBroker one = start();
                TestBroker two = start()) {
            QueueName queue = one.createQueue("stepped");
            one.enqueue(queue, 80, Map.of());
            try (RecordingConsumer here = subscribe(one, queue, throttle("t", LIMITS));
                    RecordingConsumer there = subscribe(two, queue)) {
                awaitCount(25, here, there);
                setClock(firstShift);
                awaitCount(50, here, there);
                setClock(secondShift);
                awaitCount(80, here, there);

                assertThat(mostInAny(Duration.ofSeconds(1), List.of(here, there), any -> true))
                        .isLessThanOrEqualTo(10);
                assertThat(mostInAny(Duration.ofSeconds(5), List.of(here, there), any -> true))
                        .isLessThanOrEqualTo(30);
                assertThat(generation()).isGreaterThanOrEqualTo(2);
            }
        }
    }

    @Test
    void keepsLimitsWhenTheClockIsSetForwardAndBack() throws SQLException {
        deliversWithinLimitsWhile("1 h", "0 s");
    }

    @Test
    void keepsLimitsWhenTheClockIsSetBackAndForward() throws SQLException {
        deliversWithinLimitsWhile("-1 h", "3 s");
    }

    @Test
    void keepsSubscriptionsOfLiveNodesWhenTheClockIsSetForward() throws SQLException {
        try (TestBroker one = start();
                TestBroker two = start()) {
            QueueName queue = one.createQueue("kept");
            one.enqueue(queue, 60, Map.of());
            try (RecordingConsumer declaring = subscribe(one, queue, throttle("t", "5/2s"));
                    RecordingConsumer other = subscribe(two, queue)) {
                awaitCount(10, declaring, other);
                setClock("1 d");
                awaitCount(30, declaring, other);

                assertThat(mostInAny(Duration.ofSeconds(2), List.of(declaring, other), any -> true))
                        .isEqualTo(5);
            }
        }
    }

    /** It is not known by which clock the history of the throttle was found incomplete. */
    @Test
    void movesNoGapToWhereItWouldNoLongerCount() throws SQLException {
        for (String shift : new String[] {"-1 h", "1 h"}) {
            try (TestBroker one = start()) {
                QueueName queue = one.createQueue("gap" + shift.length());
                subscribe(one, queue, throttle("t", "5/1h"));
                long before = generation();
                execute("update public.throttle set complete_from = clock_timestamp() + interval '4 s'");
                setClock(shift);
                await().atMost(PATIENCE).until(() -> generation() > before);

                assertThat(isTrue("select complete_from between clock_timestamp() - interval '10 s'"
                                + " and clock_timestamp() + interval '5 s' from public.throttle"))
                        .isTrue();
            }
        }
    }

    @Test
    void goesOnAtOnceWhenTheServerWasRestartedAndItsClockIsTheSame() throws SQLException {
        try (TestBroker one = start()) {
            QueueName queue = one.createQueue("restarted");
            one.enqueue(queue, 40, Map.of());
            try (RecordingConsumer consumer = subscribe(one, queue, throttle("t", LIMITS))) {
                awaitCount(10, consumer);
                execute("update hands.settings set restarted = '10 s'");
                awaitCount(40, consumer);

                assertThat(consumer.mostInAny(Duration.ofSeconds(5))).isEqualTo(30);
                assertThat(generation()).isZero();
            }
        }
    }

    @Test
    void goesOnAtOnceWhenServerAndNodeWereRestartedOnTheSameHost() throws SQLException {
        QueueName queue;
        RecordingConsumer before;
        try (TestBroker one = start()) {
            queue = one.createQueue("both");
            one.enqueue(queue, 40, Map.of());
            before = subscribe(one, queue, throttle("t", "20/5s"));
            awaitCount(20, before);
            await().until(() -> isMarked());
        }
        execute("update hands.settings set restarted = '10 s'");
        try (TestBroker two = start();
                RecordingConsumer after = subscribe(two, queue, throttle("t", "20/5s"))) {
            awaitCount(20, after);

            assertThat(generation()).isZero();
            assertThat(mostInAny(Duration.ofSeconds(5), List.of(before, after), any -> true))
                    .isEqualTo(20);
        }
    }

    @Test
    void countsWhatWasDeliveredAsNowWhenNobodyKnowsTheClock() throws SQLException {
        QueueName queue;
        RecordingConsumer before;
        try (TestBroker one = start()) {
            queue = one.createQueue("unknown");
            one.enqueue(queue, 40, Map.of());
            before = subscribe(one, queue, throttle("t", "20/5s"));
            awaitCount(20, before);
        }
        execute("update hands.settings set restarted = '10 s', shift = '1 h'", "delete from public.clock_mark");
        try (TestBroker two = start();
                RecordingConsumer after = subscribeOnceItIsKnown(two, queue)) {
            awaitCount(20, after);

            assertThat(generation()).isEqualTo(1);
            assertThat(mostInAny(Duration.ofSeconds(5), List.of(before, after), any -> true))
                    .isEqualTo(20);
        }
    }

    private static RecordingConsumer subscribeOnceItIsKnown(TestBroker broker, QueueName queue) {
        return await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(ProblemException.class)
                .until(() -> subscribe(broker, queue, throttle("t", "20/5s")), any -> true);
    }

    private boolean isMarked() throws SQLException {
        return isTrue("select exists (select from public.clock_mark)");
    }

    private boolean isTrue(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
