package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import jakarta.annotation.PreDestroy;

import io.fila.broker.message.NewMessage.Parking;
import io.fila.broker.message.UnclassifiedStore.Classified;
import io.fila.broker.message.UnclassifiedStore.Postponed;
import io.fila.broker.message.UnclassifiedStore.Taken;
import io.fila.broker.message.UnclassifiedStore.Tried;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueChanges;
import io.fila.broker.queue.Queues;
import io.fila.broker.script.Classification;
import io.fila.broker.script.EnqueuedMessage;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.ScriptResult;
import io.fila.broker.script.ScriptResult.Answered;
import io.fila.broker.script.ScriptResult.Unanswered;
import io.fila.broker.script.Scripts;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Tries unclassified messages again: each when its time has come, by the database's clock, and all of a queue, a batch after the
 * other, when its script has changed. Every node does; each message is tried by one of them at a time.
 */
@Component
class Reclassifier implements QueueChanges {

    private static final int BATCH = 100;
    private static final Duration SWEEP = Duration.ofSeconds(5);

    /** After a full batch of what is due it rests so many times as long: however many are parked, they take no more of the time. */
    private static final int REST = 9;

    private final UnclassifiedStore store;
    private final Queues queues;
    private final Scripts scripts;
    private final DelayedPromoter promoter;
    private final ReadySignals signals;
    private final MessageMeters meters;
    private final DueLoop loop;

    /** Queues whose script has changed, and up to which sequence their messages have been tried since. */
    private final Map<Long, Long> changed = new ConcurrentHashMap<>();

    /** The earliest try the loop knows of. Written by the loop and by callers, only ever to something true. */
    private final AtomicReference<Instant> next = new AtomicReference<>(Instant.MAX);

    /** What is due is left alone until then, by this node's clock. The loop's own. */
    private long restUntil = System.nanoTime();

    Reclassifier(
            UnclassifiedStore store,
            Queues queues,
            Scripts scripts,
            DelayedPromoter promoter,
            ReadySignals signals,
            MessageMeters meters) {
        this.store = store;
        this.queues = queues;
        this.scripts = scripts;
        this.promoter = promoter;
        this.signals = signals;
        this.meters = meters;
        this.loop = new DueLoop("classify messages that had been parked", "fila-reclassifier", SWEEP, this::work);
    }

    @EventListener(ApplicationReadyEvent.class)
    void start() {
        loop.start();
    }

    /** A message is to be tried at that moment of the database's clock. */
    void dueAt(Instant moment) {
        Instant known = next.getAndAccumulate(moment, (a, b) -> a.isBefore(b) ? a : b);
        if (moment.isBefore(known)) {
            loop.recheck();
        }
    }

    @Override
    public void changed(long queueId) {
        // nothing that matters here
    }

    @Override
    public void scriptsChanged(long queueId) {
        changed.put(queueId, 0L);
        loop.recheck();
    }

    @PreDestroy
    void close() {
        loop.close();
    }

    /** A batch of each queue whose script has changed, and one of what is due. */
    private Duration work() {
        for (Long queueId : List.copyOf(changed.keySet())) {
            goOnWith(queueId);
        }
        Duration rest = untilRested();
        if (rest.isZero()) {
            long began = System.nanoTime();
            List<Taken> taken = store.takeDue(BATCH);
            tryAgain(taken, false);
            restUntil = taken.size() < BATCH ? began : began + (REST + 1) * (System.nanoTime() - began);
            rest = untilRested();
            if (rest.isZero()) {
                next.set(Instant.MAX);
                DueStore.Due nextTry = store.next();
                next.accumulateAndGet(nextTry.at(), (x, y) -> x.isBefore(y) ? x : y);
                rest = nextTry.in();
            }
        }
        return changed.isEmpty() ? rest : Duration.ZERO;
    }

    private Duration untilRested() {
        return Duration.ofNanos(Math.max(restUntil - System.nanoTime(), 0));
    }

    private void goOnWith(long queueId) {
        Long after = changed.get(queueId);
        if (after == null) {
            return;
        }
        List<Taken> taken = store.takeOf(queueId, after, BATCH);
        tryAgain(taken, true);
        if (taken.size() < BATCH) {
            // unless it has changed once more
            changed.remove(queueId, after);
        } else {
            changed.replace(
                    queueId,
                    after,
                    taken.stream().mapToLong(Taken::sequence).max().orElse(after));
        }
    }

    /** @param isNewScript whether they are tried however often another script has failed for them */
    private void tryAgain(List<Taken> taken, boolean isNewScript) {
        Map<Long, List<Taken>> byQueue = taken.stream().collect(Collectors.groupingBy(Taken::queueId));
        List<Runnable> answers = new ArrayList<>();
        byQueue.forEach((queueId, messages) -> {
            // not what the directory remembers: the script may have changed just now
            Optional<Queue> queue = queues.find(queueId);
            queue.ifPresent(present -> answers.add(begin(
                    present,
                    messages.stream()
                            .sorted(Comparator.comparingLong(Taken::sequence))
                            .toList(),
                    isNewScript)));
        });
        // all have begun, so that a slow script does not keep the messages of other queues waiting
        answers.forEach(Runnable::run);
    }

    /** Has the script of a queue run for messages; the answer waits for it, and writes down what it comes to. */
    private Runnable begin(Queue queue, List<Taken> messages, boolean isNewScript) {
        List<Postponed> postponed = new ArrayList<>();
        List<Taken> tried = new ArrayList<>();
        Integer most = queue.settings().scripts().whenScriptFails().deadLetterAfter();
        for (Taken message : messages) {
            if (!isNewScript && most != null && message.tries() >= most) {
                postponed.add(new Postponed(message, null));
            } else {
                tried.add(message);
            }
        }
        CompletableFuture<List<ScriptResult<Classification>>> results = run(queue, tried);
        return () -> finish(queue, tried, results, postponed);
    }

    private CompletableFuture<List<ScriptResult<Classification>>> run(Queue queue, List<Taken> messages) {
        QueueScript script = Classifier.scriptOf(queue);
        if (script == null || messages.isEmpty()) {
            // without a script a message is what its producer says
            return CompletableFuture.completedFuture(messages.stream()
                    .<ScriptResult<Classification>>map(
                            message -> new Answered<>(new Classification(null, null, Map.of())))
                    .toList());
        }
        return scripts.classify(
                script,
                messages.stream()
                        .map(message -> new EnqueuedMessage(
                                message.headers(),
                                message.payloadSize(),
                                queue.name().value()))
                        .toList(),
                false);
    }

    private void finish(
            Queue queue,
            List<Taken> tried,
            CompletableFuture<List<ScriptResult<Classification>>> running,
            List<Postponed> postponed) {
        List<ScriptResult<Classification>> results;
        try {
            results = running.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ProblemException) {
                // too much of this queue is waiting for its script: these are taken again later
                results = List.of();
            } else {
                throw e;
            }
        }
        List<Classified> classified = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Taken message = tried.get(i);
            if (results.get(i) instanceof Unanswered<Classification> unanswered) {
                postponed.add(new Postponed(message, Classifier.parking(unanswered)));
                continue;
            }
            Classified one = classified(message, ((Answered<Classification>) results.get(i)).answer());
            Parking problem = problemOf(queue, one);
            if (problem == null) {
                classified.add(one);
            } else {
                postponed.add(new Postponed(message, problem));
            }
        }
        Tried result = store.finish(queue, classified, postponed);
        promoter.announce(result.ready());
        meters.deadLettered(queue.name(), result.dead());
        if (!result.ready().isEmpty() && queue.settings().ordering() != null) {
            // what came after them has waited for them
            signals.lookThrough(queue.id());
        }
    }

    private static Classified classified(Taken message, Classification by) {
        return new Classified(
                message,
                by.fairnessKey() == null ? message.fairnessKey() : by.fairnessKey(),
                by.weight() == null ? message.weight() : by.weight(),
                by.attributes());
    }

    /** What keeps a classified message out of its queue; null if nothing does. */
    private static @Nullable Parking problemOf(Queue queue, Classified message) {
        try {
            MessageCheck.requireOrderingKey(queue, message, "message");
            return null;
        } catch (ProblemException e) {
            return new Parking("script_failed", ErrorText.storable(String.valueOf(e.getMessage())), true);
        }
    }
}
