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
import io.fila.broker.stats.BucketStats.Used;
import io.fila.broker.stats.ThrottleStats.Declared;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.MissingKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/** What a throttle's and a bucket's statistics say of rows put into the database. */
class ThrottleStatsIT {

    private static final List<String> BY_CUSTOMER = List.of("header:customer");
    private static final Duration JUST_NOW = Duration.ofSeconds(5);

    private final StoredRows rows = new StoredRows();
    private final long orders = rows.queue("orders");

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void sumsUpAThrottleAcrossQueues() {
        long billing = rows.queue("billing");
        rows.throttle("stripe", BY_CUSTOMER, false, "2/1s", "3/1m");
        rows.declare(orders, "stripe", "2/1s", "3/1m");
        rows.declare(orders, "stripe", "3/1m", "2/1s");
        rows.declare(billing, "stripe", "9/1m");
        rows.deliver(bucket("acme"), 3, JUST_NOW);
        rows.deliver(bucket("globex"), 3, JUST_NOW);
        rows.deliver(bucket("initech"), 2, JUST_NOW);
        rows.deliver(bucket("idle"), 3, Duration.ofMinutes(2));
        rows.close(bucket("closed"), Duration.ofMinutes(1));
        waiting(orders, "acme", 2);
        waiting(billing, "acme", 3);
        waiting(orders, "globex", 4);
        waiting(orders, "initech", 8);
        waiting(billing, "closed", 1);

        ThrottleStats stats = newStats().throttle("stripe", 2);

        assertThat(stats.limits()).containsExactly(StoredRows.limit("2/1s"), StoredRows.limit("3/1m"));
        assertThat(stats.declared())
                .containsExactly(
                        new Declared(List.of(StoredRows.limit("2/1s"), StoredRows.limit("3/1m")), 2),
                        new Declared(List.of(StoredRows.limit("9/1m")), 1));
        assertThat(stats.key()).containsExactly(new KeyComponent.Header("customer"));
        assertThat(stats.whenKeyMissing()).isEqualTo(MissingKey.SHARED_BUCKET);
        assertThat(stats.queues()).containsExactly(new QueueName("billing"), new QueueName("orders"));
        assertThat(stats.subscribers()).isEqualTo(3);
        assertThat(stats.activeBuckets()).isEqualTo(3);
        assertThat(stats.bucketsAtLimit()).isEqualTo(3);
        assertThat(stats.waiting()).isEqualTo(10);
        assertThat(stats.topBuckets()).extracting(BucketStats::key).containsExactly(List.of("acme"), List.of("globex"));
        assertThat(stats.topBuckets()).extracting(BucketStats::waiting).containsExactly(5L, 4L);
        assertThat(stats.topBuckets().get(0).used())
                .containsExactly(new Used(StoredRows.limit("2/1s"), 0), new Used(StoredRows.limit("3/1m"), 3));
        assertThat(stats.topBuckets().get(0).roomAt())
                .isCloseTo(Instant.now().plusSeconds(55), within(Duration.ofSeconds(30)));
    }

    @Test
    void fillsUpTopBucketsWithActiveOnes() {
        rows.throttle("stripe", BY_CUSTOMER, false, "2/1m");
        rows.declare(orders, "stripe", "2/1m");
        rows.deliver(bucket("busy"), 1, JUST_NOW);
        rows.deliver(bucket("acme"), 2, JUST_NOW);
        rows.deliver(bucket("idle"), 1, Duration.ofMinutes(2));
        waiting(orders, "acme", 1);

        ThrottleStats stats = newStats().throttle("stripe", 10);

        assertThat(stats.topBuckets()).extracting(BucketStats::key).containsExactly(List.of("acme"), List.of("busy"));
        assertThat(stats.topBuckets()).extracting(BucketStats::waiting).containsExactly(1L, 0L);
        assertThat(stats.topBuckets().get(1).roomAt()).isNull();
        assertThat(newStats().throttle("stripe", 10).topBuckets()).isEqualTo(stats.topBuckets());
        assertThat(newStats().throttle("stripe", 0).topBuckets()).isEmpty();
    }

    @Test
    void countsWhatAnotherThrottleHoldsToo() {
        rows.throttle("stripe", BY_CUSTOMER, false, "1/1m");
        rows.throttle("all", List.of(), false, "1/1m");
        rows.declare(orders, "stripe", "1/1m");
        rows.declare(orders, "all", "1/1m");
        rows.deliver(bucket("acme"), 1, JUST_NOW);
        rows.deliver(rows.bucket("all", List.of(), List.of()), 1, JUST_NOW);
        waiting(orders, "acme", 2);
        waiting(orders, "globex", 1);

        assertThat(newStats().throttle("stripe", 0).waiting()).isEqualTo(2);
        assertThat(newStats().throttle("all", 0).waiting()).isEqualTo(3);
    }

    @Test
    void knowsThrottlesThatAreDeclaredOrHaveDeliveriesInTheirWindow() {
        rows.throttle("z-declared", List.of(), false, "1/1m");
        rows.declare(orders, "z-declared", "1/1m");
        rows.throttle("remembered", List.of(), false, "1/1m");
        rows.deliver(rows.bucket("remembered", List.of(), List.of()), 1, JUST_NOW);
        rows.throttle("forgotten", List.of(), false, "1/1m");
        rows.deliver(rows.bucket("forgotten", List.of(), List.of()), 1, Duration.ofMinutes(2));

        JdbcStats stats = newStats();

        assertThat(stats.throttles()).containsExactly("remembered", "z-declared");
        assertThat(stats.throttle("remembered", 1).subscribers()).isZero();
        assertThat(stats.throttle("remembered", 1).declared()).isEmpty();
        assertNotFound(() -> stats.throttle("forgotten", 1));
        assertNotFound(() -> stats.bucket("forgotten", List.of()));
        assertNotFound(() -> stats.throttle("unheard-of", 1));
    }

    @Test
    void showsABucketThatIsUsedUp() {
        rows.throttle("stripe", BY_CUSTOMER, false, "3/1s", "5/1m");
        rows.declare(orders, "stripe", "3/1s", "5/1m");
        Bucket acme = bucket("acme");
        rows.deliver(acme, 2, Duration.ofSeconds(70));
        rows.deliver(acme, 3, Duration.ofSeconds(30));
        rows.deliver(acme, 2, Duration.ofSeconds(20));
        waiting(orders, "acme", 7);
        waiting(orders, "globex", 1);

        BucketStats stats = newStats().bucket("stripe", List.of("acme"));

        assertThat(stats.key()).containsExactly("acme");
        assertThat(stats.used())
                .containsExactly(new Used(StoredRows.limit("3/1s"), 0), new Used(StoredRows.limit("5/1m"), 5));
        assertThat(stats.waiting()).isEqualTo(7);
        assertThat(stats.closedUntil()).isNull();
        assertThat(stats.roomAt())
                .isEqualTo(moment("select until + interval '1 minute' from delivery order by until offset 1 limit 1"));
    }

    @Test
    void showsWhenAClosedBucketOpens() {
        rows.throttle("stripe", BY_CUSTOMER, false, "1/1m");
        rows.declare(orders, "stripe", "1/1m");
        Bucket acme = bucket("acme");
        rows.close(acme, Duration.ofSeconds(30));

        BucketStats closed = newStats().bucket("stripe", List.of("acme"));
        rows.deliver(acme, 1, JUST_NOW);
        BucketStats usedUp = newStats().bucket("stripe", List.of("acme"));
        rows.close(acme, Duration.ofSeconds(-1));
        BucketStats open = newStats().bucket("stripe", List.of("acme"));

        assertThat(closed.roomAt()).isNotNull().isEqualTo(closed.closedUntil());
        assertThat(usedUp.closedUntil()).isEqualTo(closed.closedUntil());
        assertThat(usedUp.roomAt()).isEqualTo(moment("select until + interval '1 minute' from delivery"));
        assertThat(open.closedUntil()).isNull();
        assertThat(open.roomAt()).isEqualTo(usedUp.roomAt());
    }

    @Test
    void showsZeroesForABucketThatWasNeverUsed() {
        rows.throttle("stripe", BY_CUSTOMER, false, "3/1s", "5/1m");
        rows.declare(orders, "stripe", "3/1s", "5/1m");

        assertThat(newStats().bucket("stripe", List.of("nobody")))
                .isEqualTo(new BucketStats(
                        List.of("nobody"),
                        0,
                        List.of(new Used(StoredRows.limit("3/1s"), 0), new Used(StoredRows.limit("5/1m"), 0)),
                        null,
                        null));
    }

    @Test
    void findsTheBucketThatNeedsNoKey() {
        rows.throttle("all", List.of(), false, "9/1m");
        rows.declare(orders, "all", "9/1m");
        rows.deliver(rows.bucket("all", List.of(), List.of()), 1, JUST_NOW);
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        rows.declare(orders, "stripe", "9/1m");
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, null), 2, JUST_NOW);

        for (List<String> key : new List[] {null, List.of()}) {
            BucketStats unkeyed = newStats().bucket("all", key);
            BucketStats lackingTheKey = newStats().bucket("stripe", key);

            assertThat(unkeyed.key()).isEmpty();
            assertThat(unkeyed.used()).containsExactly(new Used(StoredRows.limit("9/1m"), 1));
            assertThat(lackingTheKey.key()).isNull();
            assertThat(lackingTheKey.used()).containsExactly(new Used(StoredRows.limit("9/1m"), 2));
        }
    }

    @Test
    void refusesAKeyThatIsNotTheThrottles() {
        rows.throttle("all", List.of(), false, "9/1m");
        rows.declare(orders, "all", "9/1m");
        rows.throttle("stripe", BY_CUSTOMER, false, "9/1m");
        rows.declare(orders, "stripe", "9/1m");

        assertInvalid(() -> newStats().bucket("all", List.of("acme")));
        assertInvalid(() -> newStats().bucket("stripe", List.of("acme", "eu")));
        assertInvalid(() -> newStats().throttle("stripe", -1));
        assertInvalid(() -> newStats().throttle("stripe", 1_001));
    }

    private Bucket bucket(String customer) {
        return rows.bucket("stripe", BY_CUSTOMER, List.of(customer));
    }

    private void waiting(long queueId, String customer, int count) {
        for (int i = 0; i < count; i++) {
            rows.message(queueId, MessageState.READY, Map.of("customer", customer));
        }
    }

    private Instant moment(String sql) {
        long micros = rows.queryLong("select (extract(epoch from (" + sql + ")) * 1000000)::bigint");
        return Instant.EPOCH.plusNanos(micros * 1000);
    }

    private static void assertNotFound(ThrowingCallable call) {
        assertProblem(call, ProblemCode.THROTTLE_NOT_FOUND);
    }

    private static void assertInvalid(ThrowingCallable call) {
        assertProblem(call, ProblemCode.INVALID_REQUEST);
    }

    private static void assertProblem(ThrowingCallable call, ProblemCode code) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(call)
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(code));
    }

    /** Without anything remembered. */
    private JdbcStats newStats() {
        Snapshots snapshots = new Snapshots(rows.database);
        return new JdbcStats(
                snapshots, new Backlogs(snapshots), new ThrottleReader(snapshots), new BucketReader(snapshots));
    }
}
