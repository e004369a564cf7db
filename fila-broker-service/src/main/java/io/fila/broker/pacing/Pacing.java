package io.fila.broker.pacing;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.ReadySignals;
import io.fila.broker.message.Weight;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueChanges;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Paces the queues that have consumers on this node: one {@link PacingLoop} each, from the first consumer to the last. Safe for
 * use by several threads.
 */
@Service
public class Pacing implements ReadySignals, QueueChanges, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(Pacing.class);
    private static final long LINGER = Duration.ofSeconds(30).toNanos();

    private final ObjectProvider<PacingContext> context;
    private final NodeSignals nodes;
    private final Duration tokenExpiry;
    private final Map<Long, PacingLoop> loops = new ConcurrentHashMap<>();

    /** Queues whose loops are to be looked at, in case nobody uses them any more. */
    private final Set<Long> lingering = ConcurrentHashMap.newKeySet();

    private final ExecutorService executor;
    private final ScheduledThreadPoolExecutor timer;
    private final ScheduledThreadPoolExecutor departures;
    private final Wakeable.Factory wakeables;

    /** No consumer is taken any more. Written once, read by anybody. */
    private volatile boolean closing;

    // provided when needed, since what it works with announces what is ready to it
    Pacing(ObjectProvider<PacingContext> context, NodeSignals nodes, PacingProperties properties) {
        this.context = context;
        this.nodes = nodes;
        this.tokenExpiry = properties.tokenExpiry();
        this.executor = Executors.newFixedThreadPool(properties.threads(), threads("fila-pacing-"));
        this.timer = new ScheduledThreadPoolExecutor(1, threads("fila-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        this.departures = new ScheduledThreadPoolExecutor(2, threads("fila-departure-"));
        this.wakeables = new Wakeable.Factory(executor, timer);
    }

    /** The bound h: so long after a claim was made, but no longer, its messages may be sent. The same on all nodes. */
    public Duration tokenExpiry() {
        return tokenExpiry;
    }

    /** Starts to deliver messages of the queue to the consumer, as its credit allows. */
    public void add(long queueId, DeliverySink sink) {
        if (closing) {
            sink.end(shuttingDown());
            return;
        }
        loops.compute(queueId, (id, loop) -> {
            PacingLoop present = loop == null ? new PacingLoop(id, context.getObject(), wakeables, departures) : loop;
            present.add(sink);
            return present;
        });
    }

    /** Stops; returns at once, so a delivery that is under way may still be offered to the consumer, which then refuses it. */
    public void remove(long queueId, DeliverySink sink) {
        PacingLoop loop = loops.get(queueId);
        if (loop != null && loop.remove(sink)) {
            closeLater(queueId, LINGER);
        }
    }

    /** What a loop knows is worth keeping for its consumer's next call. */
    private void closeLater(long queueId, long nanos) {
        if (lingering.add(queueId)) {
            try {
                timer.schedule(() -> closeIfUnused(queueId), nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                log.trace("shutting down, which closes all loops", e);
            }
        }
    }

    /** A consumer of the queue has more credit. */
    public void credited(long queueId) {
        PacingLoop loop = loops.get(queueId);
        if (loop != null) {
            loop.wake();
        }
    }

    /** What is declared on the queue has changed; this node and others look at once. */
    public void rulesChanged(long queueId) {
        ownRulesChanged(queueId);
        nodes.rulesChanged(queueId);
    }

    @Override
    public void ready(long queueId, UUID lane, long first, int count, @Nullable Sample sample) {
        PacingLoop loop = loops.get(queueId);
        if (loop != null) {
            loop.signal(lane, first, count, sample);
        }
        nodes.ready(queueId, lane, first, count, sample == null ? null : sample.weight());
    }

    @Override
    public void lookThrough(long queueId) {
        PacingLoop loop = loops.get(queueId);
        if (loop != null) {
            loop.sweep();
        }
        nodes.lookThrough(queueId);
    }

    @Override
    public void changed(long queueId) {
        rulesChanged(queueId);
    }

    @Override
    public void afterSingletonsInstantiated() {
        nodes.listen(new NodeSignals.Receiver() {
            @Override
            public void ready(long queueId, UUID lane, long first, int count, @Nullable Weight weight) {
                PacingLoop loop = loops.get(queueId);
                if (loop != null) {
                    loop.signal(lane, first, count, weight == null ? null : new Sample(null, weight));
                }
            }

            @Override
            public void sweep(long queueId) {
                PacingLoop loop = loops.get(queueId);
                if (loop != null) {
                    loop.sweep();
                }
            }

            @Override
            public void rulesChanged(long queueId) {
                ownRulesChanged(queueId);
            }

            @Override
            public void missed() {
                loops.values().forEach(PacingLoop::sweep);
            }
        });
    }

    /** Before servers stop: they would wait for consumers that wait for messages. */
    @EventListener(ContextClosedEvent.class)
    void endConsumers() {
        closing = true;
        loops.values().forEach(loop -> loop.endSinks(shuttingDown()));
    }

    private static ProblemException shuttingDown() {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "this broker node is shutting down; connect to another, or again",
                Duration.ofSeconds(1),
                null);
    }

    @PreDestroy
    void close() throws InterruptedException {
        loops.values().forEach(PacingLoop::close);
        timer.shutdownNow();
        departures.shutdown();
        executor.shutdown();
        if (!executor.awaitTermination(5, TimeUnit.SECONDS)) {
            executor.shutdownNow();
        }
    }

    private void closeIfUnused(long queueId) {
        // first: a consumer that goes from now on has the loop looked at again
        lingering.remove(queueId);
        loops.computeIfPresent(queueId, (id, loop) -> {
            if (loop.isInUse()) {
                return loop;
            }
            long left = LINGER - (System.nanoTime() - loop.lastUsed());
            if (left > 0) {
                closeLater(queueId, left);
                return loop;
            }
            loop.close();
            return null;
        });
    }

    private void ownRulesChanged(long queueId) {
        PacingLoop loop = loops.get(queueId);
        if (loop != null) {
            loop.rulesChanged();
        }
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
