package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fila.broker.Seeds;
import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims and the sweeper at the same buckets, with windows so short that buckets are evicted between claims. */
class SweptWhileClaimedIT {

    private static final Duration WINDOW = Duration.ofMillis(25);
    private static final Duration BOUND = Duration.ofMillis(2);
    private static final int MOST = 3;
    private static final int BUCKETS = 40;
    private static final int CLAIMS = 1_500;

    private final StoredRows rows = new StoredRows();
    private final BucketStore store = new BucketStore(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS));
    private final List<List<Granted>> granted = new ArrayList<>();
    private final List<Bucket> buckets = new ArrayList<>();
    private QueueRules rules;

    private record Granted(OffsetDateTime g, OffsetDateTime until, int count) {}

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void noLimitIsPassed() {
        Seeds.each(1, this::noLimitIsPassed);
    }

    private void noLimitIsPassed(Random random) {
        long queue = rows.queue("orders");
        rules = new QueueRules(
                queue, new QueueName("orders"), 0, false, Duration.ofMinutes(1), new LaneKey(List.of()), List.of());
        rows.throttle("stripe", List.of("header:i"), false, MOST + "/" + WINDOW.toMillis() + "ms");
        rows.declare(queue, "stripe", MOST + "/" + WINDOW.toMillis() + "ms");
        new Timeline(rows.database, Failover.SYNCHRONOUS).beat();
        for (int i = 0; i < BUCKETS; i++) {
            buckets.add(Bucket.of("stripe", List.of(new KeyComponent.Header("i")), List.of("" + i)));
            granted.add(new ArrayList<>());
        }
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            CompletableFuture<Integer> evicted = CompletableFuture.supplyAsync(() -> sweep(done), threads);
            List<CompletableFuture<Integer>> claimers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                long seed = random.nextLong();
                claimers.add(CompletableFuture.supplyAsync(() -> claim(new Random(seed)), threads));
            }
            int missing = 0;
            for (CompletableFuture<Integer> claimer : claimers) {
                missing += claimer.join();
            }
            done.set(true);

            assertThat(evicted.join()).as("evicted").isPositive();
            assertThat(missing).as("found missing by a claim").isPositive();
            granted.forEach(SweptWhileClaimedIT::assertWithinLimit);
            assertThat(granted.stream().mapToInt(List::size).sum()).isGreaterThan(CLAIMS / 2);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Sweeps until it is told that it is done; returns how many buckets it evicted. */
    private int sweep(AtomicBoolean done) {
        SweepStore sweeper =
                new SweepStore(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS), Duration.ZERO);
        int evicted = 0;
        while (!done.get()) {
            SweepStore.Page page = sweeper.find(LaneStore.FIRST, BUCKETS);
            evicted += sweeper.forget(page.outdated(), BUCKETS).buckets();
        }
        return evicted;
    }

    /** Takes all the room of buckets at random; returns how often a bucket was gone that had been made sure of. */
    private int claim(Random random) {
        int missing = 0;
        for (int i = 0; i < CLAIMS; i++) {
            int number = random.nextInt(BUCKETS);
            Bucket bucket = buckets.get(number);
            store.insert(List.of(bucket));
            missing += rows.database.inTransaction("claim", connection -> {
                var opening = store.open(connection, rules, List.of(bucket.id()), Map.of(), Duration.ZERO, List.of());
                Room room = opening.rooms().get(bucket.id());
                if (room == null) {
                    return 1;
                }
                if (opening.locked().contains(bucket.id()) && room.room() > 0) {
                    int count = 1 + random.nextInt(room.room());
                    Grant grant = store.charge(connection, Map.of(bucket.id(), count), opening.rooms(), BOUND)
                            .get(0);
                    synchronized (granted) {
                        granted.get(number).add(new Granted(grant.g(), grant.until(), count));
                    }
                }
                return 0;
            });
        }
        return missing;
    }

    /** As a claim would count if nothing had been forgotten: every grant finds at most the limit in its window, itself included. */
    private static void assertWithinLimit(List<Granted> grants) {
        grants.sort(Comparator.comparing(Granted::g));
        for (int i = 0; i < grants.size(); i++) {
            OffsetDateTime from = grants.get(i).g().minus(WINDOW);
            int counted = grants.subList(0, i + 1).stream()
                    .filter(grant -> grant.until().isAfter(from))
                    .mapToInt(Granted::count)
                    .sum();
            assertThat(counted).as("granted at %s", grants.get(i).g()).isLessThanOrEqualTo(MOST);
        }
    }
}
