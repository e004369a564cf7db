package io.fila.broker.pacing;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.pacing.SweepStore.Outdated;
import io.fila.broker.pacing.SweepStore.Page;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Forgets deliveries that no limit counts any more, the buckets that are left without any, and throttles without either: so what
 * is stored is bounded by the keys in recent use. A bucket is gone within a minute after its longest window.
 *
 * <p>It never takes part in a grant: it locks the buckets it works on, as a claim does, for some milliseconds, and passes by
 * those that are locked; a claim that meets a bucket it holds finds it busy, and one that finds it gone inserts it again. Every
 * node sweeps; what one has forgotten, the next does not find.
 *
 * <p>It rests after each step for as long as the step took, so that it uses half of one connection at most.
 */
@Component
class BucketSweeper {

    private static final Logger log = LoggerFactory.getLogger(BucketSweeper.class);

    private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(15);

    /** A claim makes sure of its buckets some moments before it locks them. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final UUID FIRST = new UUID(0, 0);
    private static final int BUCKETS_IN_A_LOOK = 1_000;
    private static final int BUCKETS_AT_ONCE = 200;
    private static final int RECORDS_AT_ONCE = 2_000;

    private final SweepStore store;
    private final Thread thread = new Thread(this::run, "fila-sweeper");
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Unused as of the last round: a node that still goes by old rules has found out by the next. Only the thread's. */
    private Set<String> unusedBefore = Set.of();

    private boolean failing;

    @Autowired
    BucketSweeper(Database database, Timeline timeline) {
        this(database, timeline, GRACE);
    }

    BucketSweeper(Database database, Timeline timeline, Duration grace) {
        this.store = new SweepStore(database, timeline, grace);
        thread.setDaemon(true);
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        thread.start();
    }

    @PreDestroy
    void close() throws InterruptedException {
        closed.countDown();
        thread.join(5_000);
    }

    private void run() {
        do {
            try {
                sweep();
                failing = false;
            } catch (RuntimeException e) {
                // the database being away is said elsewhere, and a lasting fault once
                if (!failing && !(e instanceof ProblemException)) {
                    log.error("could not forget idle buckets; trying again every {} s", BETWEEN_ROUNDS.toSeconds(), e);
                }
                failing = true;
            }
        } while (!isClosedWithin(BETWEEN_ROUNDS.toNanos()));
    }

    /** One round. */
    void sweep() {
        UUID last = FIRST;
        Page page;
        do {
            long began = System.nanoTime();
            page = store.find(last, BUCKETS_IN_A_LOOK);
            last = page.last();
            if (isClosedWithin(System.nanoTime() - began) || !forget(page.outdated())) {
                return;
            }
        } while (page.seen() == BUCKETS_IN_A_LOOK);
        forgetThrottles();
    }

    /** False if the sweeper was closed meanwhile. */
    private boolean forget(List<Outdated> outdated) {
        for (int from = 0; from < outdated.size(); from += BUCKETS_AT_ONCE) {
            List<Outdated> part = outdated.subList(from, Math.min(from + BUCKETS_AT_ONCE, outdated.size()));
            SweepStore.Forgotten forgotten;
            do {
                long began = System.nanoTime();
                forgotten = store.forget(part, RECORDS_AT_ONCE);
                if (isClosedWithin(System.nanoTime() - began)) {
                    return false;
                }
            } while (forgotten.records() == RECORDS_AT_ONCE);
        }
        return true;
    }

    private void forgetThrottles() {
        store.forgetGaps();
        Set<String> unused = store.findUnusedThrottles();
        List<String> stillUnused =
                unused.stream().filter(unusedBefore::contains).toList();
        if (!stillUnused.isEmpty()) {
            store.deleteUnusedThrottles(stillUnused);
        }
        unusedBefore = unused;
    }

    private boolean isClosedWithin(long nanos) {
        try {
            return closed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
