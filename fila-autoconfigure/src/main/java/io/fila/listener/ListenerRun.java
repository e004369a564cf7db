package io.fila.listener;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import io.fila.client.Delivery;
import io.fila.client.FilaException;
import io.fila.client.FilaSubscription;
import io.fila.client.SubscriptionListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container's life from start to stop: its subscription, which is replaced if the broker refuses it for now, and its handlers.
 * Fields are guarded by the lifecycle's lock; methods say if they are called with it held.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what is scheduled or drained continues under the lifecycle's lock
final class ListenerRun implements SubscriptionListener {

    private static final Logger log = LoggerFactory.getLogger(FilaListenerContainer.class);

    /** Refusals that another deployment may lift. */
    private static final Set<String> PASSING_REFUSALS = Set.of("queue-not-found", "throttle-conflict");

    /** How long interrupted handlers may take to settle what they hold. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final FilaListenerEndpoint endpoint;
    private final ListenerResources resources;
    private final Lifecycle lifecycle;
    private final Runnable stopContainer;
    private final LeaseExtender leases;
    private final ExecutorService handlers;

    private final HandlerSlots slots;
    private final Backoff backoff = new Backoff();
    private @Nullable FilaSubscription subscription;
    private int refusals;
    private boolean interrupted;
    private boolean takingBackCredit;
    private boolean closed;
    private long drainDeadline;

    ListenerRun(
            FilaListenerEndpoint endpoint,
            ListenerResources resources,
            Lifecycle lifecycle,
            int concurrency,
            Runnable stopContainer) {
        this.endpoint = endpoint;
        this.resources = resources;
        this.lifecycle = lifecycle;
        this.stopContainer = stopContainer;
        this.leases = new LeaseExtender(resources.scheduler());
        this.handlers = resources.handlers(endpoint.id(), concurrency);
        this.slots = new HandlerSlots(concurrency);
    }

    /** Called without the lock. */
    void subscribe() {
        int[] refusalsBefore = new int[1];
        if (!lifecycle.decide(() -> {
            refusalsBefore[0] = refusals;
            return !isEnding();
        })) {
            return;
        }
        FilaSubscription opened;
        try {
            opened = resources.client().subscribe(endpoint.subscription(), this);
        } catch (FilaException e) {
            onRefused(e);
            return;
        }
        boolean wanted = lifecycle.decide(() -> {
            if (isEnding() || refusals != refusalsBefore[0]) {
                return false;
            }
            subscription = opened;
            requestForFreeHandlers();
            return true;
        });
        if (!wanted) {
            opened.close();
        }
    }

    private boolean isEnding() {
        return closed || lifecycle.state() == ListenerState.DRAINING;
    }

    /** Called with the lock. One delivery is asked for per free handler, and none while credit is being taken back. */
    void requestForFreeHandlers() {
        FilaSubscription open = subscription;
        if (open == null || closed || takingBackCredit || lifecycle.state() != ListenerState.RUNNING) {
            return;
        }
        int free = slots.claimFree();
        if (free > 0) {
            lifecycle.afterwards(() -> open.request(free));
        }
    }

    /** Called with the lock. Until the broker has confirmed, deliveries may still arrive on the old credit. */
    void takeBackCredit() {
        FilaSubscription open = subscription;
        if (open == null || takingBackCredit || !slots.hasCredit()) {
            return;
        }
        takingBackCredit = true;
        lifecycle.afterwards(() -> open.drain().whenComplete((done, failure) -> lifecycle.run(this::creditGone)));
    }

    private void creditGone() {
        takingBackCredit = false;
        slots.creditGone();
        requestForFreeHandlers();
    }

    /** Called with the lock. */
    void drain() {
        drainDeadline =
                System.nanoTime() + resources.settings().shutdownTimeout().toNanos();
        takeBackCredit();
    }

    /** Waits until nothing is held and nothing can arrive, or the shutdown timeout has passed. Called without the lock. */
    void awaitIdle() {
        if (!lifecycle.await(this::isIdle, drainDeadline)) {
            log.warn(
                    "listener '{}' stops while messages are still being handled; they will be delivered again",
                    endpoint.id());
        }
    }

    private boolean isIdle() {
        return closed || (slots.held() == 0 && !takingBackCredit);
    }

    /** Called without the lock, once. */
    void close() {
        FilaSubscription[] open = new FilaSubscription[1];
        lifecycle.run(() -> {
            closed = true;
            open[0] = subscription;
            subscription = null;
        });
        handlers.shutdownNow().forEach(ListenerRun::giveBack);
        try {
            if (!handlers.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("listener '{}' has handlers that ignore their interruption", endpoint.id());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (open[0] != null) {
            open[0].close();
        }
    }

    private static void giveBack(Runnable unstarted) {
        if (unstarted instanceof DeliveryHandlerTask task) {
            task.giveBack();
        }
    }

    @Override
    public void onDelivery(Delivery delivery) {
        DeliveryHandlerTask task = new DeliveryHandlerTask(endpoint, delivery, leases, this::handlerFree);
        boolean wanted = lifecycle.decide(() -> {
            slots.arrived();
            return !isEnding();
        });
        if (!wanted) {
            task.giveBack();
            return;
        }
        try {
            handlers.execute(task);
        } catch (RejectedExecutionException stopped) {
            task.giveBack();
        }
    }

    private void handlerFree() {
        lifecycle.run(() -> {
            slots.settled();
            requestForFreeHandlers();
        });
    }

    @Override
    public void onAccepted() {
        lifecycle.run(() -> {
            backoff.reset();
            interrupted = false;
            lifecycle.error(null);
        });
        log.info(
                "listener '{}' is subscribed to queue '{}'{}",
                endpoint.id(),
                endpoint.subscription().queue(),
                endpoint.describeThrottles());
    }

    @Override
    public void onInterrupted(FilaException cause) {
        boolean first = lifecycle.decide(() -> {
            boolean news = !interrupted;
            interrupted = true;
            lifecycle.error(cause);
            return news;
        });
        if (first) {
            log.warn("listener '{}' has no connection and tries again: {}", endpoint.id(), cause.getMessage());
        }
    }

    @Override
    public void onRefused(FilaException cause) {
        lifecycle.run(() -> {
            refusals++;
            subscription = null;
            takingBackCredit = false;
            slots.creditGone();
            lifecycle.error(cause);
            if (!isEnding()) {
                lifecycle.afterwards(
                        PASSING_REFUSALS.contains(cause.code()) ? subscribeLater(cause) : () -> giveUp(cause));
            }
        });
    }

    private Runnable subscribeLater(FilaException cause) {
        boolean first = backoff.isFresh();
        long pause = backoff.next().toMillis();
        return () -> {
            if (first) {
                log.warn(
                        "listener '{}' is refused ({}) and tries again: {}",
                        endpoint.id(),
                        cause.code(),
                        cause.getMessage());
            }
            resources.scheduler().schedule(this::subscribeInOrder, pause, TimeUnit.MILLISECONDS);
        };
    }

    private void subscribeInOrder() {
        lifecycle.run(() -> lifecycle.afterwards(this::subscribe));
    }

    /** On a thread of its own: stopping waits for handlers, and the client's thread must not. */
    private void giveUp(FilaException cause) {
        log.error("listener '{}' is refused ({}) and stops: {}", endpoint.id(), cause.code(), cause.getMessage());
        new Thread(stopContainer, endpoint.id() + "-stop").start();
    }
}
