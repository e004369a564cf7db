package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.DueStore.Expiry;
import io.fila.broker.message.FailureScripts.Described;
import io.fila.broker.message.FailureScripts.Failure;
import io.fila.broker.message.SettlementStore.Leased;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.Verdict;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Ends leases that have expired, by the database's clock, as failed attempts. Every node does; each lease is ended by one of
 * them.
 */
@Component
public class LeaseReclaimer {

    private static final int BATCH = 1_000;
    private static final Duration SWEEP = Duration.ofSeconds(5);

    /** Of so many messages of a queue its script is asked at a time: other queues' leases are ended in between. */
    private static final int ASKED = 20;

    private final DueStore store;
    private final FailureScripts scripts;
    private final QueueDirectory queues;
    private final DelayedPromoter promoter;
    private final DueLoop loop;

    /** The earliest expiry the loop knows of. Written by the loop and by callers, only ever to something true. */
    private final AtomicReference<Instant> next = new AtomicReference<>(Instant.MAX);

    LeaseReclaimer(DueStore store, FailureScripts scripts, QueueDirectory queues, DelayedPromoter promoter) {
        this.store = store;
        this.scripts = scripts;
        this.queues = queues;
        this.promoter = promoter;
        this.loop = new DueLoop("end expired leases", "fila-reclaimer", SWEEP, this::reclaim);
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        loop.start();
    }

    /** Messages were leased until that moment of the database's clock. */
    public void leasedUntil(Instant moment) {
        Instant known = next.getAndAccumulate(moment, (a, b) -> a.isBefore(b) ? a : b);
        if (moment.isBefore(known)) {
            loop.recheck();
        }
    }

    @PreDestroy
    void close() {
        loop.close();
    }

    private Duration reclaim() {
        Expiry expiry;
        do {
            expiry = store.expire(BATCH, Map.of());
            promoter.announce(expiry.outcome().ready());
            if (!expiry.unjudged().isEmpty()) {
                Expiry judged = store.expire(BATCH, judge(expiry.unjudged()));
                promoter.announce(judged.outcome().ready());
            }
        } while (expiry.found() == BATCH || !expiry.unjudged().isEmpty());
        next.set(Instant.MAX);
        DueStore.Due due = store.nextExpiry();
        next.accumulateAndGet(due.at(), (a, b) -> a.isBefore(b) ? a : b);
        return due.in();
    }

    /** What scripts say of some of the leases; what they leave to the retry policy, or do not answer, is empty. */
    private Map<Leased, Optional<Verdict>> judge(List<Leased> unjudged) {
        Map<Leased, Described> described = scripts.describe(unjudged);
        Map<Leased, Optional<Verdict>> verdicts = new HashMap<>();
        List<CompletableFuture<Map<Leased, Verdict>>> running = new ArrayList<>();
        Map<Long, List<Leased>> byQueue = unjudged.stream().collect(Collectors.groupingBy(Leased::queueId));
        byQueue.forEach((queueId, all) -> {
            List<Leased> asked = all.stream().limit(ASKED).toList();
            asked.forEach(leased -> verdicts.put(leased, Optional.empty()));
            QueueScript script = scriptOf(queueId);
            if (script != null) {
                running.add(scripts.judge(
                        script,
                        asked.stream()
                                .map(leased -> new Failure(leased, DueStore.EXPIRED_REASON, DueStore.EXPIRED_ERROR))
                                .toList(),
                        described));
            }
        });
        running.forEach(
                answer -> answer.join().forEach((leased, verdict) -> verdicts.put(leased, Optional.of(verdict))));
        return verdicts;
    }

    /** Null if it, or its queue, has just been removed. */
    private @Nullable QueueScript scriptOf(long queueId) {
        try {
            return FailureScripts.scriptOf(queues.get(queueId));
        } catch (ProblemException e) {
            if (e.code() == ProblemCode.QUEUE_NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }
}
