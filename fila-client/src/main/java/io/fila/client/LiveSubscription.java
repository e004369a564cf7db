package io.fila.client;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.fila.protocol.v1.Settled;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription that outlives its streams. The phases are in {@link SubscriptionPhase}; listener calls are serial because a new
 * stream is opened only after the end of the previous one has been handled.
 */
final class LiveSubscription implements FilaSubscription, SubscriptionStream.Events {

    private static final Logger log = LoggerFactory.getLogger(LiveSubscription.class);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);
    private static final Duration HALF_CLOSED_PATIENCE = Duration.ofSeconds(1);

    private final BrokerConnection broker;
    private final SubscriptionSpec spec;
    private final ListenerCalls listener;
    private final String activity;
    private final CoalescedTask flush;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Object lock = new Object();

    // guarded by lock
    private final Backoff backoff;
    private final Credit credit = new Credit();
    private final Settlements settlements = new Settlements();
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
        this.activity = "subscribe to queue '" + spec.queue() + "'";
        this.flush = new CoalescedTask(broker::execute, this::sendWhatWaits);
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
        synchronized (lock) {
            if (closing || phase == SubscriptionPhase.CLOSED) {
                return;
            }
            credit.request(deliveries);
        }
        flush.ask();
    }

    @Override
    public CompletableFuture<Void> drain() {
        CompletableFuture<Void> drained;
        synchronized (lock) {
            if (phase != SubscriptionPhase.ACTIVE) {
                credit.clearUnsent();
                return CompletableFuture.completedFuture(null);
            }
            drained = credit.startDrain();
        }
        flush.ask();
        return drained.copy();
    }

    private CompletableFuture<Boolean> settle(Settlement settlement) {
        long number;
        synchronized (lock) {
            if (phase == SubscriptionPhase.CLOSED) {
                return CompletableFuture.failedFuture(BrokerErrors.closed(describe(settlement)));
            }
            number = settlements.add(settlement);
        }
        Future<?> timer = broker.after(broker.requestTimeout(), () -> expire(settlement, number));
        settlement.answer().whenComplete((done, problem) -> timer.cancel(false));
        flush.ask();
        return settlement.answer();
    }

    private void expire(Settlement settlement, long number) {
        boolean connected = state() == State.ACTIVE;
        String what = describe(settlement);
        // first the future, then the withdrawal: a stream that breaks in between leaves out what is done
        settlement
                .answer()
                .completeExceptionally(
                        connected
                                ? broker.errors().timedOut(what, null)
                                : broker.errors().unreachable(what, "the connection is lost", null));
        synchronized (lock) {
            settlements.withdraw(number);
        }
        finishClosing();
    }

    private String describe(Settlement settlement) {
        return settlement.verb() + " lease " + settlement.lease() + " of queue '" + spec.queue() + "'";
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
                frame.setCredit(credit.takeUnsent()).setDrain(credit.takeUnsentDrain());
                if (!settlements.writeTo(frame) && frame.getCredit() == 0 && !frame.getDrain()) {
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
                settled(frame.getSettled());
            }
            frame.getDeliveriesList().forEach(this::deliver);
            if (frame.getDrained()) {
                drained();
            }
        });
        finishClosing();
    }

    private void accepted() {
        boolean recovered;
        boolean tell;
        synchronized (lock) {
            if (phase != SubscriptionPhase.OPENING) {
                return;
            }
            moveTo(SubscriptionPhase.ACTIVE);
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

    private void settled(Settled answer) {
        List<Settlement> answered;
        synchronized (lock) {
            answered = settlements.takeAnswered(answer.getSequence());
        }
        Set<String> lost = new HashSet<>(answer.getLostList());
        answered.forEach(settlement -> settlement.answer().complete(!lost.contains(settlement.lease())));
    }

    private void deliver(io.fila.protocol.v1.Delivery arrived) {
        LeasedDelivery delivery = new LeasedDelivery(spec.queue(), arrived, this::settle);
        boolean wanted;
        synchronized (lock) {
            wanted = !closing && credit.isGiven();
        }
        if (wanted) {
            listener.deliver(delivery);
        } else {
            var unused = delivery.release();
        }
        synchronized (lock) {
            // only now: a drain must not overtake the delivery that the listener is looking at
            credit.used();
        }
    }

    private void drained() {
        CompletableFuture<Void> drained;
        synchronized (lock) {
            drained = credit.drained();
        }
        if (drained != null) {
            drained.complete(null);
        }
        flush.ask();
    }

    @Override
    public void onEnd(SubscriptionStream source, Throwable error) {
        listener.asCaller(() -> ended(source, broker.errors().failed(activity, error)));
        finishClosing();
    }

    private void ended(SubscriptionStream source, FilaException cause) {
        boolean refused;
        boolean tell;
        Duration delay = Duration.ZERO;
        CompletableFuture<Void> drained;
        List<Settlement> failed;
        synchronized (lock) {
            if (stream != source) {
                return;
            }
            refused = phase.isRefusedBy(cause);
            drained = credit.streamLost();
            failed = refused ? settlements.takeAll() : cause.isRetryable() ? List.of() : settlements.takeUnanswered();
            settlements.streamLost();
            stream = null;
            tell = !closing && !interrupted;
            if (refused) {
                moveTo(SubscriptionPhase.CLOSED);
            } else {
                moveTo(SubscriptionPhase.WAITING);
                interrupted = true;
                delay = backoff.next();
            }
        }
        if (drained != null) {
            drained.complete(null);
        }
        // what the broker ended the stream for may be among what was sent: sending that again would end the next one
        // too
        failed.forEach(settlement -> settlement.answer().completeExceptionally(cause));
        if (refused) {
            log.warn(
                    "The broker at {} refuses the subscription: {} ({})",
                    broker.address(),
                    cause.getMessage(),
                    cause.code());
            listener.refused(cause);
            closed.complete(null);
            return;
        }
        if (tell) {
            log.info("Lost the subscription to queue '{}' and trying again: {}", spec.queue(), cause.getMessage());
            listener.interrupted(cause);
        }
        broker.reconnectSoon();
        broker.after(delay, this::connect);
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = beginClosing();
        if (listener.isCaller()) {
            return;
        }
        try {
            done.get(CLOSE_PATIENCE.toMillis() + 500, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Closing the subscription to queue '{}' did not finish in time", spec.queue(), e);
        }
    }

    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    /** Withdraws the credit and flushes the settlements; the future completes when that is done or has taken too long. */
    CompletableFuture<Void> beginClosing() {
        synchronized (lock) {
            if (closing || phase == SubscriptionPhase.CLOSED) {
                return closed;
            }
            closing = true;
            if (phase == SubscriptionPhase.ACTIVE && credit.isGiven()) {
                var unused = credit.startDrain();
            } else {
                credit.clearUnsent();
            }
        }
        flush.ask();
        broker.after(CLOSE_PATIENCE, this::giveUpFlushing);
        finishClosing();
        return closed;
    }

    private void finishClosing() {
        SubscriptionStream last;
        boolean accepted;
        synchronized (lock) {
            if (!closing || phase == SubscriptionPhase.CLOSED || credit.isDraining() || !settlements.isEmpty()) {
                return;
            }
            accepted = phase == SubscriptionPhase.ACTIVE;
            last = stream;
            stream = null;
            moveTo(SubscriptionPhase.CLOSED);
        }
        if (last != null && accepted) {
            last.halfClose();
            broker.after(HALF_CLOSED_PATIENCE, () -> last.cancel("closed"));
        } else if (last != null) {
            last.cancel("closed");
        }
        closed.complete(null);
    }

    private void giveUpFlushing() {
        SubscriptionStream last;
        List<Settlement> failed;
        CompletableFuture<Void> drained;
        synchronized (lock) {
            if (phase == SubscriptionPhase.CLOSED) {
                return;
            }
            last = stream;
            stream = null;
            failed = settlements.takeAll();
            drained = credit.streamLost();
            moveTo(SubscriptionPhase.CLOSED);
        }
        if (last != null) {
            last.cancel("closed");
        }
        if (drained != null) {
            drained.complete(null);
        }
        failed.forEach(
                settlement -> settlement.answer().completeExceptionally(BrokerErrors.closed(describe(settlement))));
        closed.complete(null);
    }

    private void moveTo(SubscriptionPhase next) {
        if (!phase.mayBecome(next)) {
            throw new IllegalStateException("a subscription cannot go from " + phase + " to " + next);
        }
        phase = next;
    }
}
