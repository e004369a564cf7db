package io.fila.client;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

import io.fila.protocol.v1.Settled;
import io.fila.protocol.v1.SubscribeRequest;
import org.jspecify.annotations.Nullable;

/**
 * Takes the settlements of one subscription, writes them into frames in batches, and completes their futures. Safe for use by
 * several threads. Its lock is held for bookkeeping only; futures are completed outside of it, since they run foreign code.
 */
final class Settlements {

    private final BrokerConnection broker;
    private final String queue;
    private final BooleanSupplier connected;
    private final Runnable arrived;
    private final Object lock = new Object();

    // guarded by lock
    private final UnansweredSettlements unanswered = new UnansweredSettlements();
    private boolean ended;

    /** {@code connected} tells whether a broker could answer now; {@code arrived} is told of each new settlement. */
    Settlements(BrokerConnection broker, String queue, BooleanSupplier connected, Runnable arrived) {
        this.broker = broker;
        this.queue = queue;
        this.connected = connected;
        this.arrived = arrived;
    }

    CompletableFuture<Boolean> settle(Settlement settlement) {
        long number;
        synchronized (lock) {
            if (ended) {
                return CompletableFuture.failedFuture(BrokerErrors.closed(describe(settlement)));
            }
            number = unanswered.add(settlement);
        }
        Future<?> timer = broker.after(broker.requestTimeout(), () -> expire(settlement, number));
        settlement.answer().whenComplete((done, problem) -> timer.cancel(false));
        arrived.run();
        return settlement.answer();
    }

    private void expire(Settlement settlement, long number) {
        String what = describe(settlement);
        // first the future, then the withdrawal: a stream that breaks in between leaves out what is done
        settlement
                .answer()
                .completeExceptionally(
                        connected.getAsBoolean()
                                ? broker.errors().timedOut(what, null)
                                : broker.errors().unreachable(what, "the connection is lost", null));
        synchronized (lock) {
            unanswered.withdraw(number);
        }
    }

    boolean isEmpty() {
        synchronized (lock) {
            return unanswered.isEmpty();
        }
    }

    /** Moves what waits into the frame, up to its bound; false if nothing did. */
    boolean writeTo(SubscribeRequest.Builder frame) {
        synchronized (lock) {
            return unanswered.writeTo(frame);
        }
    }

    void answered(Settled answer) {
        List<Settlement> answered;
        synchronized (lock) {
            answered = unanswered.takeAnswered(answer.getSequence());
        }
        if (answer.hasRefused()) {
            answered.forEach(settlement -> settlement
                    .answer()
                    .completeExceptionally(BrokerErrors.refused(describe(settlement), answer.getRefused())));
            return;
        }
        Set<String> lost = new HashSet<>(answer.getLostList());
        Map<String, String> refused = new HashMap<>();
        answer.getRefusalsList().forEach(refusal -> refused.put(refusal.getLease(), refusal.getReason()));
        for (Settlement settlement : answered) {
            String why = refused.get(settlement.lease());
            if (why == null) {
                settlement.answer().complete(!lost.contains(settlement.lease()));
            } else {
                settlement.answer().completeExceptionally(BrokerErrors.refused(describe(settlement), why));
            }
        }
    }

    /**
     * What was sent is to be sent again; unless the broker ended the stream because it did not like what it read: what it
     * disliked may be among the settlements, and would end the next stream too.
     */
    void streamLost(FilaException cause) {
        boolean disliked = !cause.isRetryable() && !cause.code().equals(BrokerErrors.BROKER_ERROR);
        List<Settlement> failed;
        synchronized (lock) {
            failed = disliked ? unanswered.takeSent() : List.of();
            unanswered.streamLost();
        }
        failed.forEach(settlement -> settlement.answer().completeExceptionally(cause));
    }

    /** Takes no more, and fails what is left; a null cause means that the application closed the subscription. */
    void end(@Nullable FilaException cause) {
        List<Settlement> left;
        synchronized (lock) {
            ended = true;
            left = unanswered.takeAll();
        }
        left.forEach(settlement -> settlement
                .answer()
                .completeExceptionally(cause == null ? BrokerErrors.closed(describe(settlement)) : cause));
    }

    private String describe(Settlement settlement) {
        return settlement.verb() + " lease " + settlement.lease() + " of queue '" + queue + "'";
    }
}
