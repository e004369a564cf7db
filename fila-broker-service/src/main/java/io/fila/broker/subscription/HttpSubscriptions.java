package io.fila.broker.subscription;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.Lease;
import io.fila.broker.message.Leases;
import io.fila.broker.message.Settlement;
import io.fila.broker.node.Node;
import io.fila.broker.pacing.Pacing;
import io.fila.broker.problem.Durations;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.subscription.SubscriptionStore.Accepted;
import io.fila.broker.subscription.SubscriptionStore.Renewed;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.springframework.stereotype.Service;

/** {@link Subscriptions} whose waiting calls are consumers of the pacing on whatever node they reached. */
@Service
class HttpSubscriptions implements Subscriptions, Node.LapseListener {

    private static final Duration MIN_TTL = Duration.ofSeconds(1);
    private static final Duration MAX_TTL = Duration.ofHours(1);
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);
    private static final int MAX_RECEIVE = 1_000;

    /** How long a call that does not want to wait waits for the pacing to have looked. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private final SubscriptionStore store;
    private final Queues queues;
    private final Pacing pacing;
    private final Leases leases;
    private final QueueDirectory directory;

    /** Calls that wait on this node, with the subscriptions they are of. */
    private final Map<ReceiveSink, UUID> waiting = new ConcurrentHashMap<>();

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fila-receive-timer");
        thread.setDaemon(true);
        return thread;
    });

    HttpSubscriptions(SubscriptionStore store, Queues queues, Pacing pacing, Leases leases, QueueDirectory directory) {
        this.store = store;
        this.queues = queues;
        this.pacing = pacing;
        this.leases = leases;
        this.directory = directory;
    }

    @Override
    public CompletableFuture<HttpSubscription> open(
            QueueName name, String consumer, Duration ttl, List<ThrottleDeclaration> throttles) {
        Names.require("consumer", consumer);
        Durations.requireBetween("ttl", ttl, MIN_TTL, MAX_TTL);
        ThrottleDeclaration.requireDistinct(throttles);
        Queue queue = queues.get(name);
        UUID id = UUID.randomUUID();
        Accepted accepted = store.accept(id, queue, consumer, null, ttl, throttles);
        accepted.affected().forEach(pacing::rulesChanged);
        HttpSubscription opened = new HttpSubscription(id, name, Objects.requireNonNull(accepted.expiresAt()));
        return accepted.bindsOthers()
                // by then what was claimed by older rules has been sent, or never will be
                ? new CompletableFuture<HttpSubscription>()
                        .completeOnTimeout(opened, pacing.tokenExpiry().toNanos(), TimeUnit.NANOSECONDS)
                : CompletableFuture.completedFuture(opened);
    }

    @Override
    public void close(UUID subscription) {
        Optional<Set<Long>> affected = store.end(subscription);
        // before anybody delivers by what is left
        endWaiting(subscription::equals);
        affected.orElseThrow(() -> notFound(subscription)).forEach(pacing::rulesChanged);
    }

    @Override
    public void lapsed() {
        Set<UUID> of = Set.copyOf(waiting.values());
        if (!of.isEmpty()) {
            // the last renewal may be lost: they must not be over before the wait is
            Set<UUID> known = store.renew(of, MAX_WAIT);
            endWaiting(subscription -> of.contains(subscription) && !known.contains(subscription));
        }
    }

    private void endWaiting(Predicate<UUID> which) {
        waiting.forEach((sink, subscription) -> {
            if (which.test(subscription)) {
                sink.end(notFound(subscription));
            }
        });
    }

    @Override
    public PendingReceive receive(UUID subscription, int max, Duration wait) {
        if (max < 0 || max > MAX_RECEIVE) {
            throw ProblemException.invalid("max: expected 0 to %d, got %d".formatted(MAX_RECEIVE, max));
        }
        Durations.requireBetween("wait", wait, Duration.ZERO, MAX_WAIT);
        // what takes deliveries must be known as a consumer
        Renewed renewed = renew(subscription, wait);
        return new ReceiveSink(max, wait.isZero(), sink -> await(sink, subscription, renewed.queueId(), max, wait));
    }

    @Override
    public CompletableFuture<SettleResult> settle(UUID subscription, List<? extends Settlement> settlements) {
        Renewed renewed = renew(subscription, Duration.ZERO);
        Queue queue = directory.get(renewed.queueId());
        return leases.settle(queue, renewed.consumer(), settlements).thenApply(lost -> {
            List<Lease> all = settlements.stream().map(Settlement::lease).toList();
            return new SettleResult(
                    all.stream().filter(lease -> !lost.contains(lease)).toList(),
                    all.stream().filter(lost::contains).toList());
        });
    }

    @PreDestroy
    void close() {
        timer.shutdownNow();
    }

    private void await(ReceiveSink sink, UUID subscription, long queueId, int max, Duration wait) {
        if (max == 0) {
            sink.answerWithNothing();
            return;
        }
        waiting.put(sink, subscription);
        pacing.add(queueId, sink);
        Duration patience = wait.isZero() ? GRACE : wait;
        Future<?> alarm = timer.schedule(sink::answerWithNothing, patience.toMillis(), TimeUnit.MILLISECONDS);
        sink.onEnd(() -> {
            alarm.cancel(false);
            waiting.remove(sink);
            pacing.remove(queueId, sink);
        });
    }

    private Renewed renew(UUID subscription, Duration atLeast) {
        return store.renew(subscription, atLeast).orElseThrow(() -> notFound(subscription));
    }

    private static ProblemException notFound(UUID subscription) {
        return new ProblemException(
                ProblemCode.SUBSCRIPTION_NOT_FOUND,
                "id: there is no subscription %s; it has expired or was ended: subscribe again"
                        .formatted(subscription));
    }
}
