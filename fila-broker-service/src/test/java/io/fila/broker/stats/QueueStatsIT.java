package io.fila.broker.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.fila.broker.StoredRows;
import io.fila.broker.message.MessageState;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.MissingKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What a queue's statistics say of rows put into the database. */
class QueueStatsIT {

    private static final List<String> BY_CUSTOMER = List.of("header:customer");
    private static final Map<String, String> ACME = Map.of("customer", "acme");
    private static final Map<String, String> GLOBEX = Map.of("customer", "globex");
    private static final Duration JUST_NOW = Duration.ofSeconds(5);

    private final StoredRows rows = new StoredRows();
    private final long orders = rows.queue("orders");

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void countsEveryMessageInOneState() {
        Instant oldest = rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, GLOBEX);
        rows.message(orders, MessageState.DELAYED, ACME);
        rows.message(orders, MessageState.DELAYED, ACME);
        rows.message(orders, MessageState.DELAYED, ACME);
        Instant oldestUnclassified = rows.message(orders, MessageState.UNCLASSIFIED, ACME);
        rows.message(orders, MessageState.UNCLASSIFIED, ACME);
        rows.message(orders, MessageState.LEASED, ACME);
        rows.subscribe(orders);
        rows.subscribe(orders);

        QueueStats stats = stats();

        assertThat(stats).isEqualTo(new QueueStats(2, 3, 0, 1, 2, 0, oldest, oldestUnclassified, 2, List.of()));
    }

    @Test
    void countsNothingOfOtherQueues() {
        long other = rows.queue("other");
        rows.declare(orders, throttle("stripe", List.of(), false, "1/1m"), "1/1m");
        for (MessageState state :
                List.of(MessageState.READY, MessageState.DELAYED, MessageState.UNCLASSIFIED, MessageState.LEASED)) {
            rows.message(other, state, ACME);
        }
        rows.subscribe(other);

        QueueStats stats = stats();

        assertThat(List.of(stats.ready(), stats.delayed(), stats.unclassified(), stats.leased(), stats.throttled()))
                .containsOnly(0L);
        assertThat(stats.subscribers()).isEqualTo(1);
        assertThat(stats.oldestReadyAt()).isNull();
        assertThat(stats.oldestUnclassifiedAt()).isNull();
    }

    @Test
    void countsWhatIsDeadLetteredInAnyState() {
        long deadLetters = orders - 1;
        rows.message(deadLetters, MessageState.READY, ACME);
        rows.message(deadLetters, MessageState.DELAYED, ACME);
        rows.message(deadLetters, MessageState.LEASED, ACME);

        assertThat(stats().deadLettered()).isEqualTo(3);
        assertThat(newStats().queue(new QueueName("orders.dlq")).ready()).isEqualTo(1);
        assertThat(newStats().queue(new QueueName("orders.dlq")).deadLettered()).isZero();
    }

    @Test
    void countsLanesWhoseBucketHasNoRoomAsThrottled() {
        rows.declare(orders, throttle("stripe", BY_CUSTOMER, false, "2/1m"), "2/1m");
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, List.of("acme")), 2, JUST_NOW);
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, List.of("globex")), 1, JUST_NOW);
        rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, ACME);
        Instant oldestWithRoom = rows.message(orders, MessageState.READY, GLOBEX);
        rows.message(orders, MessageState.READY, GLOBEX);

        QueueStats stats = stats();

        assertThat(stats.throttled()).isEqualTo(3);
        assertThat(stats.ready()).isEqualTo(2);
        assertThat(stats.oldestReadyAt()).isEqualTo(oldestWithRoom);
    }

    @Test
    void takesABucketThatIsNotStoredForEmpty() {
        rows.declare(orders, throttle("stripe", BY_CUSTOMER, false, "1/1m"), "1/1m");
        rows.message(orders, MessageState.READY, ACME);

        assertThat(stats().ready()).isEqualTo(1);
    }

    @Test
    void countsAMessageOnceThatTwoThrottlesHold() {
        rows.declare(orders, throttle("stripe", List.of(), false, "1/1m"), "1/1m");
        rows.declare(orders, throttle("customers", BY_CUSTOMER, false, "1/1m"), "1/1m");
        rows.deliver(rows.bucket("stripe", List.of(), List.of()), 1, JUST_NOW);
        rows.deliver(rows.bucket("customers", BY_CUSTOMER, List.of("acme")), 1, JUST_NOW);
        rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, GLOBEX);

        assertThat(stats().throttled()).isEqualTo(2);
        assertThat(stats().ready()).isZero();
    }

    @Test
    void countsByTheLongerOfTwoLimits() {
        rows.declare(orders, throttle("stripe", List.of(), false, "3/1s", "5/1m"), "3/1s", "5/1m");
        Bucket bucket = rows.bucket("stripe", List.of(), List.of());
        rows.deliver(bucket, 3, Duration.ofSeconds(70));
        rows.deliver(bucket, 3, Duration.ofSeconds(30));
        rows.deliver(bucket, 1, Duration.ofSeconds(20));
        rows.message(orders, MessageState.READY, ACME);

        assertThat(stats().ready()).isEqualTo(1);

        rows.deliver(bucket, 1, Duration.ofSeconds(10));

        assertThat(stats().throttled()).isEqualTo(1);
    }

    @Test
    void holdsMessagesThatLackTheKeyOnlyByASharedBucket() {
        rows.declare(orders, throttle("shared", BY_CUSTOMER, false, "1/1m"), "1/1m");
        rows.deliver(rows.bucket("shared", BY_CUSTOMER, null), 1, JUST_NOW);
        rows.message(orders, MessageState.READY, Map.of());
        rows.message(orders, MessageState.READY, ACME);
        long free = rows.queue("free");
        rows.declare(free, throttle("lenient", BY_CUSTOMER, true, "1/1m"), "1/1m");
        rows.deliver(rows.bucket("lenient", BY_CUSTOMER, null), 1, JUST_NOW);
        rows.message(free, MessageState.READY, Map.of());

        assertThat(stats().throttled()).isEqualTo(1);
        assertThat(stats().ready()).isEqualTo(1);
        assertThat(newStats().queue(new QueueName("free")).ready()).isEqualTo(1);
    }

    @Test
    void holdsMessagesOfAClosedBucket() {
        rows.declare(orders, throttle("stripe", BY_CUSTOMER, false, "9/1m"), "9/1m");
        rows.close(rows.bucket("stripe", BY_CUSTOMER, List.of("acme")), Duration.ofMinutes(1));
        rows.close(rows.bucket("stripe", BY_CUSTOMER, List.of("globex")), Duration.ofMinutes(-1));
        rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, GLOBEX);

        assertThat(stats().throttled()).isEqualTo(1);
        assertThat(stats().ready()).isEqualTo(1);
    }

    @Test
    void tellsReadyFromThrottledOnAPausedQueueToo() {
        rows.declare(orders, throttle("stripe", BY_CUSTOMER, false, "1/1m"), "1/1m");
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, List.of("acme")), 1, JUST_NOW);
        rows.message(orders, MessageState.READY, ACME);
        rows.message(orders, MessageState.READY, GLOBEX);
        rows.execute("update queue set paused = true");

        assertThat(stats().throttled()).isEqualTo(1);
        assertThat(stats().ready()).isEqualTo(1);
    }

    @Test
    void ignoresThrottlesOfOtherQueues() {
        long other = rows.queue("other");
        rows.declare(other, throttle("stripe", List.of(), false, "1/1m"), "1/1m");
        rows.deliver(rows.bucket("stripe", List.of(), List.of()), 1, JUST_NOW);
        rows.message(orders, MessageState.READY, ACME);

        assertThat(stats().ready()).isEqualTo(1);
        assertThat(stats().throttles()).isEmpty();
    }

    @Test
    void listsThrottlesInForceByName() {
        rows.declare(orders, throttle("stripe", BY_CUSTOMER, true, "2/1s", "60/1m"), "2/1s", "60/1m");
        rows.declare(orders, "stripe", "60/1m");
        rows.declare(orders, throttle("a", List.of(), false, "5/1h"), "5/1h");

        assertThat(stats().throttles())
                .containsExactly(
                        new DeclaredThrottle(
                                "a", List.of(StoredRows.limit("5/1h")), List.of(), MissingKey.SHARED_BUCKET, 1),
                        new DeclaredThrottle(
                                "stripe",
                                List.of(StoredRows.limit("2/1s"), StoredRows.limit("60/1m")),
                                List.of(new KeyComponent.Header("customer")),
                                MissingKey.UNTHROTTLED,
                                2));
    }

    @Test
    void countsMoreLanesThanAPageHolds() {
        rows.declare(orders, throttle("stripe", List.of("header:i"), false, "1/1m"), "1/1m");
        for (int i = 0; i < 1_100; i++) {
            rows.message(orders, MessageState.READY, Map.of("i", "" + i));
        }
        rows.deliver(rows.bucket("stripe", List.of("header:i"), List.of("7")), 1, JUST_NOW);
        rows.deliver(rows.bucket("stripe", List.of("header:i"), List.of("1050")), 1, JUST_NOW);

        assertThat(stats().throttled()).isEqualTo(2);
        assertThat(stats().ready()).isEqualTo(1_098);
    }

    @Test
    void doesNotKnowAQueueThatIsNotThere() {
        JdbcStats stats = newStats();

        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> stats.queue(new QueueName("gone")))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.QUEUE_NOT_FOUND));
    }

    private QueueStats stats() {
        return newStats().queue(new QueueName("orders"));
    }

    private String throttle(String name, List<String> key, boolean unthrottledWhenKeyMissing, String... limits) {
        rows.throttle(name, key, unthrottledWhenKeyMissing, limits);
        return name;
    }

    /** Without anything remembered. */
    private JdbcStats newStats() {
        Snapshots snapshots = new Snapshots(rows.database);
        return new JdbcStats(
                snapshots, new Backlogs(snapshots), new ThrottleReader(snapshots), new BucketReader(snapshots));
    }
}
