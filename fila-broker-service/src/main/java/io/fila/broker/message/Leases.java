package io.fila.broker.message;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.SettlementStore.Outcome;
import io.fila.broker.problem.Durations;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import org.springframework.stereotype.Service;

/**
 * Settles leases: acknowledged, failed, extended, given back. Durable when answered. Concurrent calls share statements; a lease
 * that has been settled or handed to somebody else is reported as lost, and nothing happens for it. Safe for use by several
 * threads.
 */
@Service
public class Leases {

    private static final Batcher.Bounds BOUNDS = new Batcher.Bounds(2, 2_000, 200_000, Database.PATIENCE);
    private static final Duration SHORTEST_CLOSING = Duration.ofMillis(1);

    /** One at a time, so that the closings of a node do not wait for each other. */
    private static final Batcher.Bounds CLOSING_BOUNDS = new Batcher.Bounds(1, 2_000, 200_000, Database.PATIENCE);

    private final SettlementStore store;
    private final RefusalStore refusals;
    private final DelayedPromoter promoter;
    private final MessageMeters meters;
    private final Duration maxClosing;
    private final Batcher<Call> batcher;

    /** Apart from the others: closing waits for claims that have the buckets, and settling never does. */
    private final Batcher<Call> closingBatcher;

    Leases(
            SettlementStore store,
            RefusalStore refusals,
            DelayedPromoter promoter,
            MessageMeters meters,
            ClosingProperties closing) {
        this.store = store;
        this.refusals = refusals;
        this.promoter = promoter;
        this.meters = meters;
        this.maxClosing = closing.maxBucketClose();
        this.batcher = new Batcher<>("settle", BOUNDS, this::work);
        this.closingBatcher = new Batcher<>("close", CLOSING_BOUNDS, this::workAndClose);
    }

    /** One caller's settlements of one queue's leases. */
    record Call(
            long queueId,
            QueueName queue,
            String consumer,
            List<? extends Settlement> settlements,
            CompletableFuture<Set<Lease>> answer)
            implements Batcher.Call {

        boolean closesBuckets() {
            return settlements.stream().anyMatch(Settlement.Refused.class::isInstance);
        }

        @Override
        public long weight() {
            return settlements.size();
        }

        @Override
        public void fail(RuntimeException problem) {
            answer.completeExceptionally(problem);
        }

        @Override
        public String inDoubt() {
            return "the database does not answer, so the leases may have been settled or not; settle them again: those that were are"
                    + " lost then";
        }
    }

    /**
     * Settles leases of one queue in the name of a consumer. Completes with those that had been lost, or with {@code ProblemException}:
     * {@link ClosingRefusedException} (nothing was settled, since buckets cannot be closed as it was asked) or
     * {@code storage-unavailable} (within 5 s; the detail says whether it may have been done).
     */
    public CompletableFuture<Set<Lease>> settle(Queue queue, String consumer, List<? extends Settlement> settlements) {
        try {
            for (Settlement settlement : settlements) {
                if (settlement instanceof Settlement.Refused refused) {
                    requireClosable(refused.closeBucketsFor());
                }
            }
            if (settlements.isEmpty()) {
                return CompletableFuture.completedFuture(Set.of());
            }
            Call call = new Call(queue.id(), queue.name(), consumer, settlements, new CompletableFuture<>());
            (call.closesBuckets() ? closingBatcher : batcher).submit(call);
            return call.answer();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Gives back messages that were leased and never sent. */
    public CompletableFuture<Set<Lease>> release(long queueId, QueueName queue, List<Settlement.Release> releases) {
        Call call = new Call(queueId, queue, "", releases, new CompletableFuture<>());
        try {
            batcher.submit(call);
        } catch (RuntimeException e) {
            call.fail(e);
        }
        return call.answer();
    }

    @PreDestroy
    void close() {
        batcher.close();
        closingBatcher.close();
    }

    private void work(List<Call> batch) {
        answer(batch, store.settle(batch));
    }

    private void workAndClose(List<Call> batch) {
        RefusalStore.Result result = refusals.settle(batch);
        answer(result.accepted(), result.outcome());
        result.refused().forEach(Call::fail);
    }

    private void answer(List<Call> batch, Outcome outcome) {
        // first: who gives back a message waits for the answer, and then expects that it is known to be ready
        promoter.announce(outcome.ready());
        for (Call call : batch) {
            Set<Lease> lost = outcome.lostOf(call);
            count(call, lost, outcome);
            call.answer().complete(lost);
        }
    }

    private void count(Call call, Set<Lease> lost, Outcome outcome) {
        int acked = 0;
        int nacked = 0;
        int dead = 0;
        for (Settlement settlement : call.settlements()) {
            if (lost.contains(settlement.lease())) {
                continue;
            }
            if (settlement instanceof Settlement.Ack) {
                acked++;
            } else if (settlement instanceof Settlement.Nack) {
                nacked++;
                dead += outcome.isDeadLettered(call.queueId(), settlement.lease()) ? 1 : 0;
            } else if (settlement instanceof Settlement.Refused) {
                nacked++;
                dead += outcome.isDeadLettered(call.queueId(), settlement.lease()) ? 1 : 0;
            }
        }
        meters.acked(call.queue(), acked);
        meters.nacked(call.queue(), nacked);
        meters.deadLettered(call.queue(), dead);
    }

    private void requireClosable(Duration closeBucketsFor) {
        if (closeBucketsFor.compareTo(SHORTEST_CLOSING) < 0 || closeBucketsFor.compareTo(maxClosing) > 0) {
            throw new ClosingRefusedException(
                    "closeBucketsFor: expected %s to %s (fila.broker.max-bucket-close), got %s; close them for less, and again if need be"
                            .formatted(
                                    Durations.format(SHORTEST_CLOSING),
                                    Durations.format(maxClosing),
                                    Durations.format(closeBucketsFor)));
        }
    }
}
