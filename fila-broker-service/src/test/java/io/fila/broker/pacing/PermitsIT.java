package io.fila.broker.pacing;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Stats;
import io.fila.broker.throttle.MissingKey;
import io.fila.history.BucketName;
import io.fila.history.Counted;
import io.fila.history.DeliveryLog;
import io.fila.history.HistoryChecker;
import io.fila.history.Report;
import io.fila.history.WindowLimit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.fila.broker.RecordingConsumer.mostInAny;
import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Permits beside deliveries, on a real database, from the moments at which both were really handed over. */
class PermitsIT {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static TestBroker other;

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        broker = TestBroker.start(url, "fila.broker.pacing.delivery-log.file=" + log("broker"));
        other = TestBroker.start(url, "fila.broker.pacing.delivery-log.file=" + log("other"));
    }

    private static Path log(String node) {
        return directory.resolve(node + ".ndjson");
    }

    /** What both nodes have written down of a throttle. */
    private static List<Counted> logged(String throttle) throws IOException {
        return DeliveryLog.read(List.of(log("broker"), log("other"))).stream()
                .filter(one -> one.buckets().stream()
                        .anyMatch(bucket -> bucket.throttle().equals(throttle)))
                .toList();
    }

    @AfterAll
    static void stop() {
        other.close();
        broker.close();
    }

    private static QueueName queue() {
        return broker.createQueue("permits-" + NUMBER.incrementAndGet());
    }

    private static String name() {
        return "throttle-" + NUMBER.incrementAndGet();
    }

    private static PermitAnswer acquire(TestBroker node, String throttle, List<String> key, int permits) {
        AtomicReference<PermitAnswer> answer = new AtomicReference<>();
        node.bean(Permits.class)
                .acquire(
                        throttle,
                        key,
                        permits,
                        given -> assertThat(answer.getAndSet(given)).isNull());
        return answer.get();
    }

    private static PermitAnswer acquire(String throttle, int permits) {
        return acquire(broker, throttle, List.of(), permits);
    }

    /** Asks again and again, and notes when each permit was handed over. */
    private static void acquireUntil(
            AtomicBoolean enough, TestBroker node, String throttle, int permits, ConcurrentLinkedQueue<Long> granted) {
        while (!enough.get()) {
            node.bean(Permits.class).acquire(throttle, null, permits, answer -> {
                long now = System.nanoTime();
                for (int i = 0; answer.isGranted() && i < permits; i++) {
                    granted.add(now);
                }
            });
        }
    }

    @Test
    void keepsEveryLimitTogetherWithDeliveriesOnTwoNodes() throws Exception {
        QueueName queue = queue();
        String name = name();
        broker.enqueue(queue, 500, Map.of());
        var throttle = throttle(name, "10/400ms", "35/2s");
        ConcurrentLinkedQueue<Long> granted = new ConcurrentLinkedQueue<>();
        AtomicBoolean enough = new AtomicBoolean();
        ExecutorService callers = Executors.newFixedThreadPool(2);
        try (RecordingConsumer one = subscribe(broker, queue, throttle);
                RecordingConsumer two = subscribe(other, queue, throttle)) {
            Future<?> here = callers.submit(() -> acquireUntil(enough, broker, name, 1, granted));
            Future<?> there = callers.submit(() -> acquireUntil(enough, other, name, 2, granted));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> granted.size() >= 30 && one.count() + two.count() + granted.size() >= 110);
            enough.set(true);
            here.get();
            there.get();

            List<Long> moments = new ArrayList<>(granted);
            one.handed().forEach(handed -> moments.add(handed.at()));
            two.handed().forEach(handed -> moments.add(handed.at()));
            assertThat(mostInAny(Duration.ofMillis(400), moments)).isEqualTo(10);
            assertThat(mostInAny(Duration.ofSeconds(2), moments)).isLessThanOrEqualTo(35);

            // a delivery is written down after its consumer has it
            await().until(() -> logged(name).stream().mapToInt(Counted::count).sum() >= moments.size());
            Report report = HistoryChecker.check(
                    logged(name), Map.of(name, List.of(WindowLimit.parse("10/400ms"), WindowLimit.parse("35/2s"))));
            assertThat(report.permits()).isEqualTo(granted.size());
            assertThat(report.isWithinLimits()).as(report::toString).isTrue();
        } finally {
            enough.set(true);
            callers.shutdown();
        }
    }

    @Test
    void areWrittenDownBesideTheDeliveriesOfTheirBucket() throws IOException {
        QueueName queue = queue();
        String name = name();
        broker.enqueue(queue, 3, Map.of("customer", "acme"));
        try (RecordingConsumer consumer =
                subscribe(broker, queue, throttle(name, List.of("header:customer"), MissingKey.UNTHROTTLED, "8/1h"))) {
            assertThat(acquire(other, name, List.of("acme"), 5).isGranted()).isTrue();
            await().until(() -> logged(name).size() == 4);
            assertThat(acquire(other, name, List.of("acme"), 1).isGranted()).isFalse();

            assertThat(logged(name))
                    .hasSize(4)
                    .allMatch(one -> one.buckets().equals(List.of(new BucketName(name, List.of("acme")))));
            Report report = HistoryChecker.check(logged(name), Map.of(name, List.of(WindowLimit.parse("8/1h"))));
            assertThat(report.deliveries()).isEqualTo(3);
            assertThat(report.permits()).isEqualTo(5);
            assertThat(report.uses().get(0).most()).isEqualTo(8);
            assertThat(report.isWithinLimits()).isTrue();
        }
    }

    @Test
    void areWrittenDownWithTheSpanInWhichTheirAnswerMayHaveBeenHandedOver() throws IOException {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "5/1h"))) {
            AtomicReference<Instant> given = new AtomicReference<>();
            assertThatThrownBy(() -> broker.bean(Permits.class).acquire(name, null, 2, answer -> {
                        given.set(Instant.now());
                        throw new IllegalStateException("the connection is gone");
                    }))
                    .hasMessage("the connection is gone");

            assertThat(logged(name)).singleElement().satisfies(grant -> {
                assertThat(grant.count()).isEqualTo(2);
                assertThat(given.get()).isBetween(grant.from(), grant.to());
            });
        }
    }

    @Test
    void grantsFromTheMomentOnThatItNamedAndNotBefore() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "3/2s"))) {
            Instant earliest = Instant.now().plusSeconds(2);
            assertThat(acquire(name, 2).isGranted()).isTrue();
            Instant latest = Instant.now().plusSeconds(2).plusMillis(5);
            AtomicReference<Instant> settled = new AtomicReference<>();
            // its record is settled by then, but may keep its bound for a moment
            await().until(() -> {
                settled.set(acquire(name, 2).roomAt());
                return settled.get() == null || settled.get().isBefore(latest);
            });
            assertThat(settled.get()).isAfterOrEqualTo(earliest);

            Instant asked;
            PermitAnswer answer;
            do {
                asked = Instant.now();
                answer = acquire(name, 2);
                if (!answer.isGranted()) {
                    assertThat(answer.roomAt()).isEqualTo(settled.get());
                    assertThat(asked).isBefore(settled.get());
                }
            } while (!answer.isGranted());
            assertThat(Instant.now()).isAfterOrEqualTo(settled.get());
        }
    }

    @Test
    void countsInTheBucketOfTheKeyItIsAskedFor() {
        String keyed = name();
        try (RecordingConsumer declaring = subscribe(
                broker, queue(), throttle(keyed, List.of("header:customer"), MissingKey.SHARED_BUCKET, "2/1h"))) {
            assertThat(acquire(broker, keyed, List.of("acme"), 2).isGranted()).isTrue();
            assertThat(acquire(other, keyed, List.of("acme"), 1).isGranted()).isFalse();
            assertThat(acquire(other, keyed, List.of(""), 2).isGranted()).isTrue();
            assertThat(acquire(other, keyed, List.of(), 2).isGranted()).isTrue();
            assertThat(acquire(broker, keyed, null, 1).isGranted()).isFalse();

            Stats stats = broker.bean(Stats.class);
            assertThat(stats.bucket(keyed, List.of("acme")).used().get(0).count())
                    .isEqualTo(2);
            assertThat(stats.bucket(keyed, null).used().get(0).count()).isEqualTo(2);
        }
    }

    @Test
    void drawsFromTheBucketThatMessagesWithTheKeyDrawFrom() {
        QueueName queue = queue();
        String name = name();
        broker.enqueue(queue, 5, Map.of("customer", "acme"));
        try (RecordingConsumer consumer =
                subscribe(broker, queue, throttle(name, List.of("header:customer"), MissingKey.UNTHROTTLED, "5/1h"))) {
            await().until(() -> consumer.count() == 5);

            assertThat(acquire(other, name, List.of("acme"), 1).isGranted()).isFalse();
            assertThat(acquire(other, name, List.of("zeta"), 5).isGranted()).isTrue();
        }
    }

    @Test
    void knowsAThrottleAsLongAsItsDeliveriesAreRemembered() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "2/1h"))) {
            assertThat(acquire(name, 1).isGranted()).isTrue();
        }

        assertThat(acquire(name, 1).isGranted()).isTrue();
        assertThat(acquire(name, 1).isGranted()).isFalse();
        execute("delete from delivery where bucket_id = (select id from bucket where throttle = ?)", name);
        assertThatThrownBy(() -> acquire(name, 1))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.THROTTLE_NOT_FOUND));
    }

    @Test
    void goesByALimitThatWasDeclaredMeanwhile() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "10/1h"))) {
            acquire(name, 5);
            try (RecordingConsumer stricter = subscribe(other, queue(), throttle(name, "6/1h"))) {
                assertThat(acquire(name, 2).isGranted()).isFalse();
                assertThat(acquire(name, 1).isGranted()).isTrue();
            }
        }
    }

    @Test
    void handsOverNothingBeforeTheMomentOfAGrantThatRanAhead() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "5/1h"))) {
            acquire(name, 1);
            execute(
                    "update bucket set last_grant = clock_timestamp() + interval '150 milliseconds' where throttle = ?",
                    name);
            Instant ahead = Instant.now().plusMillis(100);

            assertThat(acquire(name, 1).isGranted()).isTrue();
            assertThat(Instant.now()).isAfter(ahead);
        }
    }

    @Test
    void countsNothingThatCannotBeHandedOverInTime() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "5/1h"))) {
            acquire(name, 1);
            execute("update bucket set last_grant = clock_timestamp() + interval '1 minute' where throttle = ?", name);

            assertThatThrownBy(() -> acquire(name, 1))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            problem -> assertThat(problem.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE));
            assertThat(broker.bean(Stats.class).bucket(name, null).used().get(0).count())
                    .isEqualTo(1);
        }
    }

    @Test
    void saysSoWhenOthersHoldTheBucketAllTheTime() {
        String name = name();
        try (RecordingConsumer declaring = subscribe(broker, queue(), throttle(name, "5/1h"))) {
            acquire(name, 1);
            broker.bean(Database.class).inTransactionWithoutResult("hold the bucket", connection -> {
                try (var statement =
                        connection.prepareStatement("select id from bucket where throttle = ? for update")) {
                    statement.setString(1, name);
                    statement.execute();
                }
                assertThatThrownBy(() -> acquire(name, 1))
                        .isInstanceOfSatisfying(
                                ProblemException.class,
                                problem -> assertThat(problem.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE))
                        .hasMessageContaining(name);
            });
        }
    }

    private static void execute(String sql, String name) {
        broker.bean(Database.class).run("arrange a test", connection -> {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setString(1, name);
                return statement.executeUpdate();
            }
        });
    }
}
