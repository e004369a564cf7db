package io.fila.broker.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

import jakarta.annotation.PreDestroy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.script.ScriptMeters.Outcome;
import io.fila.broker.script.ScriptResult.Answered;
import io.fila.broker.script.ScriptResult.Unanswered;
import org.springframework.stereotype.Service;

/**
 * Runs the scripts of queues: on threads of their own, each queue's runs one after the other ({@link ScriptLines}), none while a script
 * only times out ({@link Circuit}). A script is compiled when it is first run on this node, and when its source has changed. Safe
 * for use by several threads.
 */
@Service
public class Scripts {

    private static final int MOST_LOADED = 10_000;
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(1);

    private static final long NO_QUEUE = -1;

    /** What a message is taken to weigh while it waits: the messages themselves are held by their callers in any case. */
    private static final int MESSAGE_WEIGHT = 500;

    private final LuaEngine engine;
    private final ScriptMeters meters;
    private final ScriptLines lines;

    /** Compiled ones. An entry is replaced by its queue's line alone, which runs on one thread at a time. */
    private final Cache<Slot, Loaded> loaded = Caffeine.newBuilder()
            .maximumSize(MOST_LOADED)
            .expireAfterAccess(KEPT)
            .build();

    Scripts(LuaEngine engine, ScriptMeters meters, ScriptProperties properties) {
        this.engine = engine;
        this.meters = meters;
        this.lines = new ScriptLines(properties.threads());
    }

    private record Slot(long queueId, Hook hook) {}

    private record Loaded(String source, LuaScript script, Circuit circuit) {}

    private interface Call<M, A> {
        A on(LuaScript script, M message) throws ScriptException;
    }

    /** Throws {@code invalid-script} if it cannot be compiled, or does not define its function; names the field. */
    public void requireValid(String field, Hook hook, String source) {
        onAnyThread(hook, () -> engine.compile(field, hook, source));
    }

    /** Compiles a script that no queue has, or throws {@code invalid-script}, and runs {@code on_enqueue} once. */
    public Trial<Classification> tryOnEnqueue(String field, String source, EnqueuedMessage message) {
        return onAnyThread(
                Hook.ON_ENQUEUE,
                () -> engine.compile(field, Hook.ON_ENQUEUE, source).tryOnEnqueue(message));
    }

    /** Compiles a script that no queue has, or throws {@code invalid-script}, and runs {@code on_failure} once. */
    public Trial<Verdict> tryOnFailure(String field, String source, FailedMessage message) {
        return onAnyThread(
                Hook.ON_FAILURE,
                () -> engine.compile(field, Hook.ON_FAILURE, source).tryOnFailure(message));
    }

    /** Where scripts run that are of no queue, one after the other; waits for it. */
    private <T> T onAnyThread(Hook hook, Supplier<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        lines.submit(new QueueScript(NO_QUEUE, "none", hook, ""), new ScriptLines.Work() {
            @Override
            public long weight() {
                return LuaEngine.LONGEST_SOURCE;
            }

            @Override
            public boolean step() {
                answer.complete(work.get());
                return false;
            }

            @Override
            public void fail(RuntimeException problem) {
                answer.completeExceptionally(problem);
            }
        });
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : e;
        }
    }

    /**
     * Runs {@code on_enqueue} for messages, in their order; a result for each.
     *
     * @param untilUnanswered end with the first that gets no answer: the results are fewer then
     */
    public CompletableFuture<List<ScriptResult<Classification>>> classify(
            QueueScript script, List<EnqueuedMessage> messages, boolean untilUnanswered) {
        return submit(script, messages, LuaScript::onEnqueue, untilUnanswered);
    }

    /** Runs {@code on_failure} for messages, in their order; a result for each. */
    public CompletableFuture<List<ScriptResult<Verdict>>> judge(QueueScript script, List<FailedMessage> messages) {
        return submit(script, messages, LuaScript::onFailure, false);
    }

    /** The scripts of a queue that are not run on this node for now, since they kept timing out, and until when they are not. */
    public Map<Hook, Instant> paused(long queueId) {
        Map<Hook, Instant> paused = new EnumMap<>(Hook.class);
        for (Hook hook : Hook.values()) {
            Loaded present = loaded.getIfPresent(new Slot(queueId, hook));
            Duration pause = present == null ? Duration.ZERO : present.circuit().openFor();
            if (!pause.isZero()) {
                paused.put(hook, Instant.now().plus(pause));
            }
        }
        return paused;
    }

    @PreDestroy
    void close() {
        lines.close();
    }

    private <M, A> CompletableFuture<List<ScriptResult<A>>> submit(
            QueueScript script, List<M> messages, Call<M, A> call, boolean untilUnanswered) {
        if (messages.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        CompletableFuture<List<ScriptResult<A>>> answer = new CompletableFuture<>();
        List<ScriptResult<A>> results = new ArrayList<>(messages.size());
        try {
            lines.submit(script, new ScriptLines.Work() {
                @Override
                public long weight() {
                    return (long) MESSAGE_WEIGHT * messages.size();
                }

                @Override
                public boolean step() {
                    ScriptResult<A> result = run(script, messages.get(results.size()), call);
                    results.add(result);
                    boolean isLast = results.size() == messages.size()
                            || untilUnanswered && result instanceof ScriptResult.Unanswered<A>;
                    if (isLast) {
                        answer.complete(results);
                    }
                    return !isLast;
                }

                @Override
                public void fail(RuntimeException problem) {
                    answer.completeExceptionally(problem);
                }
            });
        } catch (RuntimeException e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }

    private <M, A> ScriptResult<A> run(QueueScript script, M message, Call<M, A> call) {
        Loaded present;
        try {
            present = load(script);
        } catch (ProblemException e) {
            // it was valid when the queue was declared: this node is set to allow less
            meters.count(script, Outcome.FAILED);
            return new Unanswered<>(true, false, "cannot be used here: " + e.getMessage(), TRY_AGAIN);
        }
        Duration pause = present.circuit().openFor();
        if (!pause.isZero()) {
            meters.count(script, Outcome.SKIPPED);
            return new Unanswered<>(
                    false, true, "has kept timing out, so that it is not run for now; make it faster", pause);
        }
        try {
            A answer = call.on(present.script(), message);
            present.circuit().ended();
            meters.count(script, Outcome.ANSWERED);
            return new Answered<>(answer);
        } catch (ScriptException e) {
            boolean isTimeout = e.kind() == ScriptException.Kind.TIMED_OUT;
            if (isTimeout) {
                present.circuit().timedOut();
            } else {
                present.circuit().ended();
            }
            meters.count(script, isTimeout ? Outcome.TIMED_OUT : Outcome.FAILED);
            return new Unanswered<>(true, isTimeout, String.valueOf(e.getMessage()), TRY_AGAIN);
        }
    }

    private Loaded load(QueueScript script) {
        Slot slot = new Slot(script.queueId(), script.hook());
        Loaded present = loaded.getIfPresent(slot);
        if (present == null || !present.source().equals(script.source())) {
            LuaScript compiled = engine.compile(script.hook().functionName(), script.hook(), script.source());
            present = new Loaded(script.source(), compiled, new Circuit(System::nanoTime));
            loaded.put(slot, present);
        }
        return present;
    }
}
