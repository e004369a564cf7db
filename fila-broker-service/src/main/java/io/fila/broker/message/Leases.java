package io.fila.broker.message;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.FailureScripts.Described;
import io.fila.broker.message.FailureScripts.Failure;
import io.fila.broker.message.SettlementStore.Leased;
import io.fila.broker.message.SettlementStore.Outcome;
import io.fila.broker.problem.Durations;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.Verdict;
import org.jspecify.annotations.Nullable;
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
    private final FailureScripts scripts;
    private final DelayedPromoter promoter;
    private final MessageMeters meters;
    private final Duration maxClosing;
    private final Batcher<Call> batcher;

    /** Failed attempts on their way to a script, which says what becomes of them; from there they go to the other batcher. */
    private final Batcher<Call> judgingBatcher;

    /** Apart from the others: closing waits for claims that have the buckets, and settling never does. */
    private final Batcher<Call> closingBatcher;

    Leases(
            SettlementStore store,
            RefusalStore refusals,
            FailureScripts scripts,
            DelayedPromoter promoter,
            MessageMeters meters,
            ClosingProperties closing) {
        this.store = store;
        this.refusals = refusals;
        this.scripts = scripts;
        this.promoter = promoter;
        this.meters = meters;
        this.maxClosing = closing.maxBucketClose();
        this.batcher = new Batcher<>("settle", BOUNDS, this::work);
        this.judgingBatcher = new Batcher<>("judge", BOUNDS, this::judge);
        this.closingBatcher = new Batcher<>("close", CLOSING_BOUNDS, this::workAndClose);
    }

    /** One caller's settlements of one queue's leases. */
    record Call(
            long queueId,
            QueueName queue,
            String consumer,
            List<? extends Settlement> settlements,
            CompletableFuture<Set<Lease>> answer,
            @Nullable QueueScript script)
            implements Batcher.Call {

        /** Of a queue without a script for failed attempts. */
        Call(
                long queueId,
                QueueName queue,
                String consumer,
                List<? extends Settlement> settlements,
                CompletableFuture<Set<Lease>> answer) {
            this(queueId, queue, consumer, settlements, answer, null);
        }

        /** The same call, with what scripts have said. */
        Call judged(List<Settlement> judged) {
            return new Call(queueId, queue, consumer, judged, answer, null);
        }

        /** What a script is to be asked about: not what its consumer has given up. */
        List<Failure> failures() {
            List<Failure> failures = new ArrayList<>();
            for (Settlement settlement : settlements) {
                if (settlement instanceof Settlement.Nack nack && !nack.deadLetter()) {
                    failures.add(new Failure(SettlementStore.leased(queueId, nack.lease()), "nack", nack.error()));
                }
            }
            return failures;
        }

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
            Call call = new Call(
                    queue.id(),
                    queue.name(),
                    consumer,
                    settlements,
                    new CompletableFuture<>(),
                    FailureScripts.scriptOf(queue));
            if (call.script() != null && !call.failures().isEmpty()) {
                judgingBatcher.submit(call);
            } else {
                submit(call);
            }
            return call.answer();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void submit(Call call) {
        (call.closesBuckets() ? closingBatcher : batcher).submit(call);
    }

    /** Asks the scripts; goes on with each call when its own has answered, whatever becomes of the others. */
    private void judge(List<Call> batch) {
        List<Leased> leases = batch.stream()
                .flatMap(call -> call.failures().stream())
                .map(Failure::leased)
                .toList();
        Map<Leased, Described> described = scripts.describe(leases);
        for (Call call : batch) {
            scripts.judge(Objects.requireNonNull(call.script()), call.failures(), described)
                    .thenAccept(verdicts -> submitQuietly(call.judged(judged(call, verdicts))));
        }
    }

    private void submitQuietly(Call call) {
        try {
            submit(call);
        } catch (RuntimeException e) {
            call.fail(e);
        }
    }

    private static List<Settlement> judged(Call call, Map<Leased, Verdict> verdicts) {
        List<Settlement> judged = new ArrayList<>();
        for (Settlement settlement : call.settlements()) {
            Verdict verdict = verdicts.get(SettlementStore.leased(call.queueId(), settlement.lease()));
            if (settlement instanceof Settlement.Nack nack && verdict instanceof Verdict.Retry retry) {
                // a delay that the consumer knows is better than one that nobody has given
                judged.add(
                        new Settlement.Judged(nack, retry.delay() == null ? nack.retryAfter() : retry.delay(), false));
            } else if (settlement instanceof Settlement.Nack nack && verdict instanceof Verdict.DeadLetter) {
                judged.add(new Settlement.Judged(nack, null, true));
            } else {
                judged.add(settlement);
            }
        }
        return judged;
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
        judgingBatcher.close();
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
            } else if (settlement instanceof Settlement.Nack
                    || settlement instanceof Settlement.Judged
                    || settlement instanceof Settlement.Refused) {
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
