package io.fila.broker.subscription;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

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
    private static final UUID FIRST = new UUID(0, 0);
    private static final int PAGE = 500;

    private final SubscriptionStore store;
    private final Pacing pacing;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread reaper = new Thread(task, "fila-reaper");
        reaper.setDaemon(true);
        return reaper;
    });

    /** A subscription of this node's, which nobody may have been told of. */
    private record Over(long queueId, UUID id) {}

    /** To be ended; tried again until it succeeds, or the node's heartbeat lapses and others do it. */
    private final Queue<Over> ending = new ConcurrentLinkedQueue<>();

    /** Whether a look at what is to be ended is coming anyway. */
    private final AtomicBoolean asked = new AtomicBoolean();

    /** What could not be ended for a reason that was logged. Only the thread's. */
    private Set<UUID> faulty = new HashSet<>();

    private boolean failing;

    SubscriptionReaper(SubscriptionStore store, Pacing pacing) {
        this.store = store;
        this.pacing = pacing;
    }

    @Override
    public void afterSingletonsInstantiated() {
        thread.scheduleWithFixedDelay(this::reap, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends a subscription of this node's soon; also if it is not known whether it was accepted. */
    void end(long queueId, UUID id) {
        ending.add(new Over(queueId, id));
        if (!thread.isShutdown() && asked.compareAndSet(false, true)) {
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

    /** One look at all that is over: a node may have died with thousands of streams. */
    void reap() {
        endAsked();
        attempt(() -> {
            Set<UUID> stillFaulty = new HashSet<>();
            UUID last = FIRST;
            List<UUID> page;
            do {
                page = store.findEnded(last, PAGE);
                for (UUID id : page) {
                    last = id;
                    if (!ends(id, () -> store.endIfDead(id))) {
                        stillFaulty.add(id);
                    }
                }
            } while (page.size() == PAGE && !thread.isShutdown());
            ending.stream().map(Over::id).filter(faulty::contains).forEach(stillFaulty::add);
            faulty = stillFaulty;
        });
    }

    private void endAsked() {
        asked.set(false);
        attempt(() -> ending.removeIf(over -> ends(over.id(), () -> store.end(over.queueId(), over.id()))));
    }

    /** False if it could not be ended for a reason of its own, which does not keep others from being ended. */
    private boolean ends(UUID id, Supplier<Optional<Set<Long>>> end) {
        try {
            announce(end.get());
            return true;
        } catch (ProblemException e) {
            throw e;
        } catch (RuntimeException e) {
            if (faulty.add(id)) {
                log.error("could not end subscription {}; trying again every {} s", id, INTERVAL.toSeconds(), e);
            }
            return false;
        }
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
                log.error(
                        "could not look for subscriptions that are over; trying again every {} s",
                        INTERVAL.toSeconds(),
                        e);
            }
            failing = true;
        }
    }
}
