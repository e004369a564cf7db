package io.fila.broker.subscription;

import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.pacing.Pacing;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * Ends subscriptions that are over: those that say so at once, by HTTP when their time has passed, and those of nodes that have
 * not been seen for too long. Every node looks; each is ended by one of them.
 */
@Component
class SubscriptionReaper implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(SubscriptionReaper.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final SubscriptionStore store;
    private final Pacing pacing;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread reaper = new Thread(task, "fila-reaper");
        reaper.setDaemon(true);
        return reaper;
    });

    /** To be ended; tried again until it succeeds, or the node's heartbeat lapses and others do it. */
    private final Queue<UUID> ending = new ConcurrentLinkedQueue<>();

    private boolean failing;

    SubscriptionReaper(SubscriptionStore store, Pacing pacing) {
        this.store = store;
        this.pacing = pacing;
    }

    @Override
    public void afterSingletonsInstantiated() {
        thread.scheduleWithFixedDelay(this::reap, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends a subscription soon. */
    void end(UUID id) {
        ending.add(id);
        if (!thread.isShutdown()) {
            thread.execute(this::endAsked);
        }
    }

    @PreDestroy
    void close() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
            thread.shutdownNow();
        }
    }

    private void reap() {
        endAsked();
        attempt(() -> {
            for (UUID id : store.findEnded()) {
                announce(store.end(id, true));
            }
        });
    }

    private void endAsked() {
        attempt(() -> {
            UUID id = ending.peek();
            while (id != null) {
                announce(store.end(id, false));
                ending.remove(id);
                id = ending.peek();
            }
        });
    }

    private void announce(Optional<Set<Long>> affected) {
        affected.ifPresent(queues -> queues.forEach(pacing::rulesChanged));
    }

    private void attempt(Runnable work) {
        try {
            work.run();
            failing = false;
        } catch (RuntimeException e) {
            if (!failing && !(e instanceof ProblemException)) {
                log.error("could not end subscriptions; trying again every {} s", INTERVAL.toSeconds(), e);
            }
            failing = true;
        }
    }
}
