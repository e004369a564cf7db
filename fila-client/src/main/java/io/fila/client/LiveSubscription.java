package io.fila.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription that outlives its streams. The phases are in {@link SubscriptionPhase}; listener calls are serial because
 * a new stream is opened only after the end of the previous one has been handled.
 */
final class LiveSubscription implements FilaSubscription, SubscriptionStream.Events {

    private static final Logger log = LoggerFactory.getLogger(LiveSubscription.class);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);
    private static final Duration HALF_CLOSED_PATIENCE = Duration.ofSeconds(1);

    private final BrokerConnection broker;
    private final SubscriptionSpec spec;
    private final ListenerCalls listener;
    private final CoalescedTask flush;
    private final Credit credit = new Credit();
    private final Settlements settlements;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Object lock = new Object();

    // guarded by lock
    private final Backoff backoff;
    private SubscriptionPhase phase = SubscriptionPhase.WAITING;
    /** The stream that is open in OPENING and ACTIVE. */
    private @Nullable SubscriptionStream stream;
    /** Since the last acceptance, so that an outage is told of once. */
    private boolean interrupted;
    /** Closed by the application and still flushing. */
    private boolean closing;

    LiveSubscription(BrokerConnection broker, SubscriptionSpec spec, SubscriptionListener listener, Backoff backoff) {
        this.broker = broker;
        this.spec = spec;
        this.listener = new ListenerCalls(spec.queue(), listener);
        this.backoff = backoff;
        this.flush = new CoalescedTask(broker::execute, this::sendWhatWaits);
        this.settlements = new Settlements(broker, spec.queue(), () -> state() == State.ACTIVE, flush::ask);
    }

    /** Opens the next stream, unless the subscription was closed meanwhile. */
    void connect() {
        SubscriptionStream next = new SubscriptionStream(this);
        synchronized (lock) {
            if (phase != SubscriptionPhase.WAITING) {
                return;
            }
            moveTo(SubscriptionPhase.OPENING);
            stream = next;
        }
        next.open(broker.subscriptions(), ToProtocol.subscription(spec));
        Duration patience = broker.requestTimeout();
        broker.after(patience, () -> cancelUnlessAccepted(next, patience));
    }

    private void cancelUnlessAccepted(SubscriptionStream opened, Duration patience) {
        synchronized (lock) {
            if (stream != opened || phase != SubscriptionPhase.OPENING) {
                return;
            }
        }
        opened.cancel("not accepted within " + patience);
    }

    @Override
    public State state() {
        synchronized (lock) {
            return phase.state();
        }
    }

    @Override
    public void request(int deliveries) {
        if (deliveries < 0) {
            throw new IllegalArgumentException("deliveries must not be negative, but was " + deliveries);
        }
        credit.request(deliveries);
        flush.ask();
    }

    @Override
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained = credit.drain();
        flush.ask();
        return drained;
    }

    private void sendWhatWaits() {
        while (true) {
            SubscriptionStream current;
            SubscribeRequest.Builder frame = SubscribeRequest.newBuilder();
            synchronized (lock) {
                current = stream;
                if (phase != SubscriptionPhase.ACTIVE || current == null || !current.isReady()) {
                    return;
                }
                boolean credits = credit.writeTo(frame);
                boolean settles = settlements.writeTo(frame);
                if (!credits && !settles) {
                    return;
                }
            }
            current.send(frame.build());
        }
    }

    @Override
    public void onReady(SubscriptionStream source) {
        flush.ask();
    }

    @Override
    public void onFrame(SubscriptionStream source, SubscribeResponse frame) {
        synchronized (lock) {
            if (stream != source) {
                return;
            }
        }
        listener.asCaller(() -> {
            if (frame.hasAccepted()) {
                accepted();
            }
            if (frame.hasSettled()) {
                settlements.answered(frame.getSettled());
            }
            frame.getDeliveriesList().forEach(this::deliver);
            if (frame.getDrained()) {
                credit.drained();
                flush.ask();
            }
        });
        finishClosing(true);
    }

    private void accepted() {
        boolean recovered;
        boolean tell;
        synchronized (lock) {
            if (phase != SubscriptionPhase.OPENING) {
                return;
            }
            moveTo(SubscriptionPhase.ACTIVE);
            credit.streamAccepted();
            backoff.reset();
            recovered = interrupted;
            interrupted = false;
            tell = !closing;
        }
        if (tell) {
            log.info(
                    "{} queue '{}' at {}",
                    recovered ? "Reconnected: subscribed again to" : "Subscribed to",
                    spec.queue(),
                    broker.address());
            listener.accepted();
        }
        flush.ask();
    }

    private void deliver(io.fila.protocol.v1.Delivery arrived) {
        LeasedDelivery delivery = new LeasedDelivery(spec.queue(), arrived, settlements::settle);
        if (credit.wantsDelivery()) {
            listener.deliver(delivery);
        } else {
            var unused = delivery.release();
        }
        // only now: a drain must not overtake the delivery that the listener is looking at
        credit.delivered();
    }

    @Override
    public void onEnd(SubscriptionStream source, Throwable error) {
        listener.asCaller(() -> ended(source, error));
        finishClosing(true);
    }

    private void ended(SubscriptionStream source, Throwable error) {
        FilaException cause;
        boolean refused;
        boolean tell;
        Duration delay;
        synchronized (lock) {
            if (stream != source) {
                return;
            }
            cause = broker.errors().failed(phase.activity() + " queue '" + spec.queue() + "'", error);
            refused = phase.isRefusedBy(cause);
            moveTo(refused ? SubscriptionPhase.CLOSED : SubscriptionPhase.WAITING);
            stream = null;
            tell = !closing && !interrupted;
            interrupted = true;
            delay = backoff.next();
        }
        credit.streamLost();
        if (refused) {
            refused(cause);
            return;
        }
        settlements.streamLost(cause);
        if (tell) {
            log.info("Lost the subscription to queue '{}', trying again: {}", spec.queue(), cause.getMessage());
            listener.interrupted(cause);
        }
        broker.reconnectSoon();
        broker.after(delay, this::connect);
    }

    private void refused(FilaException cause) {
        log.warn("Refused by the broker at {}: {} ({})", broker.address(), cause.getMessage(), cause.code());
        settlements.end(cause);
        listener.refused(cause);
        closed.complete(null);
    }

    /** Waits until it is closed; not in a listener, since what would be waited for is handled by the same thread. */
    @Override
    public void close() {
        CompletableFuture<Void> done = beginClosing();
        if (!listener.isCaller()) {
            Answers.awaitAtMost(CLOSE_PATIENCE.plusMillis(500), done);
        }
    }

    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    /** Withdraws the credit and flushes the settlements; the future completes when that is done or has taken too long. */
    CompletableFuture<Void> beginClosing() {
        credit.end();
        synchronized (lock) {
            if (closing || phase == SubscriptionPhase.CLOSED) {
                return closed;
            }
            closing = true;
        }
        flush.ask();
        broker.after(CLOSE_PATIENCE, () -> finishClosing(false));
        finishClosing(true);
        return closed;
    }

    private void finishClosing(boolean patient) {
        SubscriptionStream last;
        synchronized (lock) {
            boolean flushed = !credit.isDraining() && settlements.isEmpty();
            if (!closing || phase == SubscriptionPhase.CLOSED || (patient && !flushed)) {
                return;
            }
            moveTo(SubscriptionPhase.CLOSED);
            last = stream;
            stream = null;
        }
        if (last != null) {
            last.halfClose();
            broker.after(HALF_CLOSED_PATIENCE, () -> last.cancel("closed"));
        }
        credit.streamLost();
        settlements.end(null);
        closed.complete(null);
    }

    private void moveTo(SubscriptionPhase next) {
        if (!phase.mayBecome(next)) {
            throw new IllegalStateException("a subscription cannot go from " + phase + " to " + next);
        }
        phase = next;
    }
}
