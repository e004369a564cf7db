package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.SettlementStore.Outcome;
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

    private final DueStore store;
    private final DelayedPromoter promoter;
    private final DueLoop loop;

    /** The earliest expiry the loop knows of. Written by the loop and by callers, only ever to something true. */
    private final AtomicReference<Instant> next = new AtomicReference<>(Instant.MAX);

    LeaseReclaimer(DueStore store, DelayedPromoter promoter) {
        this.store = store;
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
        Outcome outcome;
        do {
            outcome = store.expire(BATCH);
            promoter.announce(outcome.ready());
        } while (outcome.done().size() == BATCH);
        next.set(Instant.MAX);
        DueStore.Due due = store.nextExpiry();
        next.accumulateAndGet(due.at(), (a, b) -> a.isBefore(b) ? a : b);
        return due.in();
    }
}
