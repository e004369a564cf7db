package io.fila.broker.pacing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.fila.broker.message.ReadySignals.Sample;
import io.fila.broker.pacing.Claimed.BucketAnswer;
import io.fila.broker.pacing.Proposal.Share;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Paces one queue on this node: proposes, claims, sends, settles, and sleeps until something can change. One claim is under way
 * at a time; what accumulates meanwhile is the next batch. It never polls: it is woken by signals, by credit, and by one timer
 * at the earliest moment at which a bucket has room or a sweep is due.
 *
 * <p>Everything but {@link #signal} and the sinks belongs to the thread that runs it; {@link Wakeable} sees to there being one
 * at a time.
 */
final class PacingLoop {

    private static final Logger log = LoggerFactory.getLogger(PacingLoop.class);
    private static final long BUSY_PAUSE = Duration.ofMillis(2).toNanos();
    private static final long FAILURE_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long NEVER = Long.MAX_VALUE;

    private final long queueId;
    private final PacingContext context;
    private final Dispatcher dispatcher = new Dispatcher(System::nanoTime);
    private final LaneIntake intake;
    private final Aftermath aftermath;
    private final Wakeable wakeable;

    private Scheduler scheduler = new Scheduler();
    private @Nullable QueueRules rules;
    private long nextSweep = System.nanoTime();
    private boolean failing;

    /** The rules may have changed. Written by anybody, read by the loop. */
    private volatile boolean rulesInDoubt = true;

    /** Signals may have been missed. Written by anybody, read by the loop. */
    private volatile boolean sweepWanted;

    PacingLoop(long queueId, PacingContext context, Wakeable.Factory wakeables) {
        this.queueId = queueId;
        this.context = context;
        this.intake = new LaneIntake(context.lanes(), context.buckets());
        this.aftermath = new Aftermath(queueId, context, intake);
        this.wakeable = wakeables.create(this::run);
    }

    void add(DeliverySink sink) {
        dispatcher.add(sink);
        wake();
    }

    /** Takes the consumer away; true if none is left. */
    boolean remove(DeliverySink sink) {
        dispatcher.remove(sink);
        return dispatcher.isEmpty();
    }

    boolean isIdle() {
        return dispatcher.isEmpty();
    }

    void signal(UUID lane, long first, int count, @Nullable Sample sample) {
        intake.signal(lane, first, count, sample);
        wake();
    }

    /** The queue's throttles, its settings or its existence may have changed. */
    void rulesChanged() {
        rulesInDoubt = true;
        wake();
    }

    /** Looks at everything soon: signals of any kind may have been missed. */
    void sweep() {
        rulesInDoubt = true;
        sweepWanted = true;
        wake();
    }

    void wake() {
        wakeable.wake();
    }

    void close() {
        wakeable.close();
    }

    /** One round. Returns in how many nanoseconds the next is due, whatever happens meanwhile; 0: at once. */
    private long run() {
        try {
            long pause = round();
            failing = false;
            return pause;
        } catch (RuntimeException e) {
            if (!failing && !(e instanceof ProblemException)) {
                log.error("could not pace queue {}; trying again", queueId, e);
            }
            failing = true;
            // what it had taken in from signals is lost with the round
            rulesInDoubt = true;
            sweepWanted = true;
            return FAILURE_PAUSE;
        }
    }

    private long round() {
        List<DeliverySink> present = List.copyOf(dispatcher.sinks());
        if (present.isEmpty()) {
            return NEVER;
        }
        if (!context.node().isCurrent()) {
            return FAILURE_PAUSE;
        }
        long now = System.nanoTime();
        if (now - nextSweep >= 0) {
            // makes up for lost signals of both kinds: what is ready, and what has changed
            rulesInDoubt = true;
            sweepWanted = true;
        }
        QueueRules current = currentRules();
        if (current == null) {
            return NEVER;
        }
        if (sweepWanted) {
            sweepWanted = false;
            intake.sweep();
            nextSweep = now + context.properties().sweepInterval().toNanos();
        }
        intake.takeIn(current, scheduler);
        if (!current.paused()) {
            claim(current);
        }
        long pause = untilNext(current.paused());
        if (pause > 0) {
            present.forEach(DeliverySink::nothingNow);
        }
        return pause;
    }

    private long untilNext(boolean paused) {
        long now = System.nanoTime();
        if (rulesInDoubt || sweepWanted || intake.hasSignals() || intake.isSweeping() || intake.hasStale()) {
            return 0;
        }
        long untilSweep = Math.max(0, nextSweep - now);
        if (paused || dispatcher.credit(1) == 0) {
            return untilSweep;
        }
        if (scheduler.hasReady()) {
            return 0;
        }
        long wake = scheduler.nextWake();
        return wake == NEVER ? untilSweep : Math.min(untilSweep, Math.max(0, wake - now));
    }

    private void claim(QueueRules current) {
        int credit = dispatcher.credit(context.properties().maxBatch());
        // before the transaction: the bound on how late a message may be sent counts from here (I2)
        long t0 = System.nanoTime();
        Proposal proposal = scheduler.propose(credit, context.properties().maxLanes(), t0);
        if (proposal.isEmpty()) {
            return;
        }
        Claimed claimed;
        try {
            Duration bound = context.properties().tokenExpiry();
            claimed = context.claims().claim(current, proposal, aftermath.pendingOf(proposal), bound);
        } catch (RuntimeException e) {
            giveBack(proposal);
            throw e;
        }
        if (claimed.stale()) {
            giveBack(proposal);
            rulesInDoubt = true;
            return;
        }
        context.meters().claimed(Duration.ofNanos(System.nanoTime() - t0));
        Dispatcher.Unsent unsent = dispatcher.send(
                claimed.leased(), t0 + context.properties().tokenExpiry().toNanos());
        Map<UUID, Room> rooms = aftermath.settle(current, claimed, unsent, t0);
        tellBuckets(claimed, rooms, t0);
        long now = System.nanoTime();
        claimed.answers().forEach(answer -> scheduler.answer(answer, now));
    }

    /** The scheduler's clock is this node's: the wake-up may be early by a round trip, which the claim uses up. */
    private void tellBuckets(Claimed claimed, Map<UUID, Room> settled, long t0) {
        long now = System.nanoTime();
        List<UUID> missing = new ArrayList<>();
        claimed.rooms().forEach((bucket, answer) -> {
            Room room = settled.get(bucket);
            if (room != null) {
                scheduler.roomFrom(bucket, room.room() > 0 ? now : aftermath.settledAt() + room.nanosOr(BUSY_PAUSE));
            } else if (answer instanceof BucketAnswer.Full full) {
                scheduler.roomFrom(bucket, t0 + full.room().nanosOr(BUSY_PAUSE));
            } else if (answer instanceof BucketAnswer.Open) {
                scheduler.roomFrom(bucket, now);
            } else {
                if (answer instanceof BucketAnswer.Missing) {
                    missing.add(bucket);
                }
                scheduler.roomFrom(bucket, now + BUSY_PAUSE);
            }
        });
        intake.insertAgain(missing);
    }

    private void giveBack(Proposal proposal) {
        long now = System.nanoTime();
        for (Share share : proposal.shares()) {
            scheduler.answer(new LaneAnswer(share.lane(), 0, 0, share.head()), now);
        }
    }

    /** The rules as far as they are known to be true; null if the queue is gone. */
    private @Nullable QueueRules currentRules() {
        QueueRules known = rules;
        if (!rulesInDoubt && known != null) {
            return known;
        }
        rulesInDoubt = false;
        Optional<QueueRules> loaded = context.rules().load(queueId);
        if (loaded.isEmpty()) {
            endSinks(new ProblemException(
                    ProblemCode.QUEUE_NOT_FOUND, "queue: the queue was deleted; create it and subscribe again"));
            return null;
        }
        QueueRules fresh = loaded.get();
        if (known == null || !fresh.schedulesLike(known)) {
            scheduler = new Scheduler();
            intake.restart();
        }
        rules = fresh;
        return fresh;
    }

    /** Ends every consumer, for this reason. Safe for use by several threads. */
    void endSinks(ProblemException reason) {
        for (DeliverySink sink : dispatcher.sinks()) {
            dispatcher.remove(sink);
            sink.end(reason);
        }
    }
}
