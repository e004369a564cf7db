package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.fila.broker.clock.DatabaseClock.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * Sends what has been claimed when it may be sent: on a thread of its own if that lies ahead, so that it is not kept waiting by
 * the loop's next claim. What was sent waits here for the loop to settle it. Safe for use by several threads.
 */
final class Outbox {

    private final Dispatcher dispatcher;
    private final ScheduledExecutorService departures;
    private final Consumer<List<Dispatcher.Handover>> log;
    private final Runnable departed;

    private final ConcurrentLinkedQueue<Departed> sent = new ConcurrentLinkedQueue<>();

    /** How many messages wait to be sent. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param log is told what has been handed over
     * @param departed is told whenever something was sent later than it was added
     */
    Outbox(
            Dispatcher dispatcher,
            ScheduledExecutorService departures,
            Consumer<List<Dispatcher.Handover>> log,
            Runnable departed) {
        this.dispatcher = dispatcher;
        this.departures = departures;
        this.log = log;
        this.departed = departed;
    }

    /**
     * A departure and what it takes to conclude it.
     *
     * @param records of its claim
     * @param rules by which it was claimed
     * @param usedUp buckets whose room the claim has used up
     * @param scheduler that proposed it, and is told of the room that is left
     * @param clock what was known of the database's clock when it was claimed
     * @param deadline nothing of it is sent from then on (I2)
     */
    record Entry(
            Departure departure,
            OpenRecords records,
            QueueRules rules,
            Set<UUID> usedUp,
            Scheduler scheduler,
            Bounds clock,
            long deadline) {}

    /** A departure and what came of it, {@code by} a moment on this node's clock. */
    record Departed(Entry entry, Dispatcher.Sent sent, long by) {}

    /** Sends at once what may go now, and the rest in time. */
    void add(Entry entry) {
        // from its deadline on it only goes back
        long ahead = Math.min(entry.departure().at(), entry.deadline()) - System.nanoTime();
        if (ahead <= 0) {
            send(entry);
            return;
        }
        waiting.addAndGet(entry.departure().leased().size());
        try {
            departures.schedule(() -> sendLate(entry), ahead, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // shutting down: consumers have been taken away, so all of it goes back
            sendLate(entry);
        }
    }

    private void sendLate(Entry entry) {
        try {
            send(entry);
        } finally {
            waiting.addAndGet(-entry.departure().leased().size());
            departed.run();
        }
    }

    private void send(Entry entry) {
        Dispatcher.Sent result = dispatcher.send(entry.departure().leased(), entry.deadline());
        log.accept(result.handovers());
        sent.add(new Departed(entry, result, result.by(System.nanoTime())));
    }

    /** How many messages wait to be sent: consumers' credit that is spoken for. */
    int waiting() {
        return waiting.get();
    }

    /** What has been sent since the last call. */
    List<Departed> takeDeparted() {
        List<Departed> all = new ArrayList<>();
        @Nullable Departed next = sent.poll();
        while (next != null) {
            all.add(next);
            next = sent.poll();
        }
        return all;
    }
}
