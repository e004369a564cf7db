package io.fila.broker.pacing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;

import io.fila.broker.clock.ClockMovedException;
import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.message.ReadySignals.Sample;
import io.fila.broker.pacing.BucketStore.Settlement;
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
    private static final long FAILURE_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long CLOCK_PAUSE = Duration.ofMillis(50).toNanos();
    private static final long NEVER = Long.MAX_VALUE;

    /** How many times as long as a sweep takes it rests: it takes no more than a twentieth of the time. */
    static final int SWEEP_REST = 19;

    private final long queueId;
    private final PacingContext context;
    private final Dispatcher dispatcher = new Dispatcher(System::nanoTime);
    private final LaneIntake intake;
    private final Aftermath aftermath;
    private final BucketNews news;
    private final Outbox outbox;
    private final LeadTime leadTime;
    private final Wakeable wakeable;

    private Scheduler scheduler = new Scheduler();
    private @Nullable QueueRules rules;
    private long nextSweep = System.nanoTime();
    private long sweepRestsUntil = nextSweep;
    private boolean failing;

    /** The database's timeline that the picture is of. */
    private long knownGeneration;

    /** The rules may have changed. Written by anybody, read by the loop. */
    private volatile boolean rulesInDoubt = true;

    /** Signals may have been missed. Written by anybody, read by the loop. */
    private volatile boolean sweepWanted;

    /** When a consumer was last taken away. Written and read by anybody. */
    private volatile long lastUsed = System.nanoTime();

    PacingLoop(long queueId, PacingContext context, Wakeable.Factory wakeables, ScheduledExecutorService departures) {
        this.queueId = queueId;
        this.context = context;
        this.knownGeneration = context.timeline().generation();
        this.intake = new LaneIntake(
                context.lanes(), context.buckets(), context.properties().sweepInterval());
        this.aftermath = new Aftermath(queueId, context, this::wake);
        this.news = new BucketNews(context);
        this.outbox = new Outbox(dispatcher, departures, context.deliveryLog()::delivered, this::wake);
        this.leadTime = new LeadTime(context.properties().tokenExpiry().dividedBy(5));
        this.wakeable = wakeables.create(this::run);
    }

    void add(DeliverySink sink) {
        dispatcher.add(sink);
        wake();
    }

    /** Takes the consumer away; true if none is left. */
    boolean remove(DeliverySink sink) {
        lastUsed = System.nanoTime();
        dispatcher.remove(sink);
        return dispatcher.isEmpty();
    }

    /** Whether it has a consumer. What was claimed for one that has gone is given back within the bound h. */
    boolean isInUse() {
        return !dispatcher.isEmpty();
    }

    /** When a consumer was last taken away, by this node's clock. */
    long lastUsed() {
        return lastUsed;
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
        } catch (ClockMovedException e) {
            return recoverTimeline();
        } catch (RuntimeException | Error e) {
            // an error, too: a loop that is not run again would deliver nothing, and nobody would be told
            if (!failing && !(e instanceof ProblemException)) {
                log.error("could not pace queue {}; trying again", queueId, e);
            }
            failing = true;
            // what it had taken in from signals is lost with the round, and lanes may be left without an answer
            rules = null;
            rulesInDoubt = true;
            sweepWanted = true;
            return FAILURE_PAUSE;
        }
    }

    private long recoverTimeline() {
        try {
            context.timeline().recover();
            return CLOCK_PAUSE;
        } catch (RuntimeException e) {
            log.debug("could not recover the timeline; trying again", e);
            return FAILURE_PAUSE;
        }
    }

    private long round() {
        List<DeliverySink> present = List.copyOf(dispatcher.sinks());
        settleDeparted();
        news.tell(scheduler, aftermath.settleOverdue(System.nanoTime()));
        if (present.isEmpty()) {
            return untilOverdue();
        }
        if (!context.node().isCurrent()) {
            return FAILURE_PAUSE;
        }
        long generation = context.timeline().generation();
        if (generation != knownGeneration) {
            knownGeneration = generation;
            scheduler = new Scheduler();
            intake.restartWithoutHeads();
        }
        long now = System.nanoTime();
        if (now - nextSweep >= 0) {
            // makes up for lost signals of both kinds: what has changed, and what is ready
            rulesInDoubt = true;
            if (now - sweepRestsUntil >= 0 && !intake.isSweeping()) {
                sweepWanted = true;
            }
            nextSweep = now + context.properties().sweepInterval().toNanos();
        }
        QueueRules current = currentRules();
        if (current == null) {
            return NEVER;
        }
        // what is missed during a sweep may be where it has been
        if (sweepWanted && !intake.isSweeping()) {
            sweepWanted = false;
            intake.sweep();
        }
        // before signals are taken in: an acknowledgement signals what it makes ready before its consumer is ready for
        // more, and without that signal others would be next
        int credit = credit();
        boolean wasSweeping = intake.isSweeping();
        intake.takeIn(current, scheduler);
        if (wasSweeping && !intake.isSweeping()) {
            sweepRestsUntil = now + SWEEP_REST * intake.sweepNanos();
        }
        long lead = leadTime.next(claimsForNextRoom());
        if (!current.paused()) {
            claim(current, Math.min(credit, credit()), lead);
        }
        long pause = untilNext(current.paused(), lead);
        if (pause > 0 && outbox.waiting() == 0 && !aftermath.isGivingBack()) {
            present.forEach(DeliverySink::nothingNow);
        }
        return pause;
    }

    private long untilOverdue() {
        long next = aftermath.nextOverdue();
        return next == NEVER ? NEVER : Math.max(0, next - System.nanoTime());
    }

    private long untilNext(boolean paused, long lead) {
        long now = System.nanoTime();
        if (rulesInDoubt || sweepWanted || intake.hasSignals() || intake.isSweeping() || intake.hasStale()) {
            return 0;
        }
        long next = Math.min(Math.min(nextSweep, aftermath.nextOverdue()), intake.nextLook());
        if (!paused && credit() > 0) {
            if (scheduler.hasReady()) {
                return 0;
            }
            long wake = scheduler.nextWake();
            next = wake == NEVER ? next : Math.min(next, wake - lead);
        }
        return Math.max(0, next - now);
    }

    /** How many messages consumers would take, besides those that are claimed already. */
    private int credit() {
        return Math.max(
                0, Math.min(context.properties().maxBatch(), dispatcher.credit(Integer.MAX_VALUE) - outbox.waiting()));
    }

    /** How many claims it takes to use the room that a bucket is to have next, as far as consumers would take it. */
    private int claimsForNextRoom() {
        int wanted = Math.min(scheduler.nextRoom(), dispatcher.credit(Integer.MAX_VALUE));
        return 1 + Math.max(0, wanted - 1) / context.properties().maxBatch();
    }

    private void claim(QueueRules current, int credit, long lead) {
        // before the transaction: the bound on how late a message may be sent counts from here (I2)
        long t0 = System.nanoTime();
        Proposal proposal = scheduler.propose(credit, context.properties().maxLanes(), t0 + lead);
        if (proposal.isEmpty()) {
            return;
        }
        Duration bound = context.properties().tokenExpiry();
        List<Settlement> pending = aftermath.takePending(proposal);
        Optional<Claimed> claimed = Optional.empty();
        try {
            // a margin, or a claim would come too early for room that is further ahead by what clocks are apart
            Duration ahead = Duration.ofNanos(2 * lead);
            claimed = context.claims().claim(current, proposal, pending, bound, ahead);
        } finally {
            aftermath.settled(pending, claimed.map(Claimed::settled).orElse(Map.of()));
            if (claimed.isEmpty()) {
                giveBack(proposal);
                rulesInDoubt = true;
            }
        }
        if (claimed.isPresent()) {
            long committed = System.nanoTime();
            leadTime.took(committed - t0);
            context.meters().claimed(Duration.ofNanos(committed - t0));
            send(claimed.get(), current, t0 + bound.toNanos());
        }
    }

    private void send(Claimed claimed, QueueRules current, long deadline) {
        long now = System.nanoTime();
        // so that it is sent as soon as it may be: what is known of the clock from the claim itself is not as exact
        Bounds clock = claimed.runsAheadOf(now) ? context.timeline().refine(claimed.clock()) : claimed.clock();
        Set<UUID> usedUp = claimed.usedUp();
        OpenRecords records = new OpenRecords(claimed.grants());
        for (Departure departure : Departure.of(claimed, clock::surelyAt, System.nanoTime())) {
            outbox.add(new Outbox.Entry(departure, records, current, usedUp, scheduler, clock, deadline));
        }
        if (claimed.isCut()) {
            // it locked more than it leased: a claim of another node at the same time takes those lanes for drained
            claimed.answers().forEach(answer -> context.nodes().ready(queueId, answer.lane(), answer.head(), 1, null));
        }
        try {
            news.tell(scheduler, claimed, now);
        } finally {
            for (LaneAnswer answer : claimed.answers()) {
                if (scheduler.answer(answer, now)) {
                    intake.lookAgain(answer.lane(), answer.head());
                }
            }
        }
        settleDeparted();
    }

    private void settleDeparted() {
        for (Outbox.Departed departed : outbox.takeDeparted()) {
            news.tell(departed.entry().scheduler(), aftermath.settle(departed));
        }
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
        // what is claimed for them goes back
        wake();
    }
}
