package io.fila.broker.message;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.DeadLetterStore.Place;
import io.fila.broker.message.DeadLetterStore.Removed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Removes what has been in a dead letter queue for longer than its queue keeps dead letters. Every node does; each message is removed
 * by one of them. What a consumer is handling is left to a later sweep.
 *
 * <p>A sweep looks at the oldest dead letter of each queue that has a retention, and on from there only while they are old: it costs what
 * it removes, not what is kept. Sweeps begin at the interval, since minutes hardly matter to what is kept for days.
 */
@Component
class DeadLetterReaper {

    private static final Logger log = LoggerFactory.getLogger(DeadLetterReaper.class);

    private final DeadLetterStore store;
    private final MessageMeters meters;
    private final DueLoop loop;

    /** Written when the node stops, read between batches: a sweep may be long. */
    private volatile boolean closing;

    DeadLetterReaper(DeadLetterStore store, MessageMeters meters, DeadLetterProperties properties) {
        this.store = store;
        this.meters = meters;
        this.loop = new DueLoop("remove dead letters", "fila-dead-letter-reaper", properties.sweepInterval(), () -> {
            sweep();
            return properties.sweepInterval();
        });
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        loop.start();
    }

    @PreDestroy
    void close() {
        closing = true;
        loop.close();
    }

    /** A batch of each queue in turn, so that a long one does not keep the others waiting. */
    private void sweep() {
        Map<String, Integer> removed = new TreeMap<>();
        Queue<Place> places = new ArrayDeque<>(store.find());
        try {
            while (!closing && !places.isEmpty()) {
                Place place = places.remove();
                Removed batch = store.remove(place);
                meters.expired(place.deadLetters(), batch.count());
                if (batch.count() > 0) {
                    removed.merge(place.deadLetters().value(), batch.count(), Integer::sum);
                }
                if (batch.next() != null) {
                    places.add(batch.next());
                }
            }
        } finally {
            say(removed);
        }
    }

    private static void say(Map<String, Integer> removed) {
        if (!removed.isEmpty()) {
            log.info(
                    "removed dead letters that had been kept for as long as their queue's deadLetterRetention says: {}",
                    removed);
        }
    }
}
