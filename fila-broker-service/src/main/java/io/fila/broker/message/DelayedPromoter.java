package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.SettlementStore.Ready;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Makes delayed messages ready when their time has come, by the database's clock. Every node does; each message is made ready by
 * one of them.
 */
@Component
class DelayedPromoter {

    private static final int BATCH = 1_000;
    private static final Duration SWEEP = Duration.ofSeconds(5);

    private final DueStore store;
    private final ReadySignals signals;
    private final DueLoop loop;

    /** The earliest moment the loop knows of. Written by the loop and by callers, only ever to something true. */
    private final AtomicReference<Instant> next = new AtomicReference<>(Instant.MAX);

    DelayedPromoter(DueStore store, ReadySignals signals) {
        this.store = store;
        this.signals = signals;
        this.loop = new DueLoop("make delayed messages ready", "fila-promoter", SWEEP, this::promote);
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        loop.start();
    }

    /** A message becomes ready at that moment of the database's clock. */
    void delayedUntil(Instant moment) {
        Instant known = next.getAndAccumulate(moment, (a, b) -> a.isBefore(b) ? a : b);
        if (moment.isBefore(known)) {
            loop.recheck();
        }
    }

    /** Announces what has become ready or will. */
    void announce(Collection<Ready> messages) {
        for (Ready message : messages) {
            if (message.availableAt() == null) {
                signals.ready(message.queueId(), message.lane(), message.sequence(), 1, null);
            } else {
                delayedUntil(message.availableAt());
            }
        }
    }

    @PreDestroy
    void close() {
        loop.close();
    }

    private Duration promote() {
        List<Ready> ready;
        do {
            ready = store.promote(BATCH);
            announce(ready);
        } while (ready.size() == BATCH);
        // forgotten before asking: a moment told meanwhile is either in the answer or rechecks
        next.set(Instant.MAX);
        DueStore.Due due = store.nextDelayed();
        next.accumulateAndGet(due.at(), (a, b) -> a.isBefore(b) ? a : b);
        return due.in();
    }
}
