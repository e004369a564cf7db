package io.fila.broker.message;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.message.NewMessage.Parking;
import io.fila.broker.queue.Queue;
import io.fila.broker.script.Classification;
import io.fila.broker.script.EnqueuedMessage;
import io.fila.broker.script.Hook;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.ScriptResult;
import io.fila.broker.script.ScriptResult.Answered;
import io.fila.broker.script.ScriptResult.Unanswered;
import io.fila.broker.script.Scripts;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Has the messages of enqueues classified by the script of their queue, before they are stored. Safe for use by several threads. */
@Component
class Classifier {

    private final Scripts scripts;

    Classifier(Scripts scripts) {
        this.scripts = scripts;
    }

    /** The script that classifies messages of a queue; null if there is none. */
    static @Nullable QueueScript scriptOf(Queue queue) {
        String source = queue.settings().scripts().onEnqueue();
        return source == null ? null : new QueueScript(queue.id(), queue.name().value(), Hook.ON_ENQUEUE, source);
    }

    static EnqueuedMessage asSeenByScripts(Queue queue, NewMessage message) {
        return new EnqueuedMessage(
                message.headers(),
                message.payload().bytes().length,
                queue.name().value());
    }

    /**
     * The call with its messages as they are to be stored; at once if the queue has no script. Completes with {@code ProblemException} if
     * the whole call is refused: {@code script-failed}, {@code script-timed-out} or {@code rate-limited}, or {@code
     * ordering-key-missing}, which only a script's attributes may settle.
     */
    CompletableFuture<EnqueueCall> classify(EnqueueCall call) {
        QueueScript script = scriptOf(call.queue());
        if (script == null) {
            return CompletableFuture.completedFuture(call);
        }
        List<EnqueuedMessage> messages = call.messages().stream()
                .map(message -> asSeenByScripts(call.queue(), message))
                .toList();
        boolean parks = call.queue().settings().scripts().whenScriptFails().parks();
        return scripts.classify(script, messages, !parks)
                .thenApply(results -> call.with(classified(call, script, results)));
    }

    private static List<NewMessage> classified(
            EnqueueCall call, QueueScript script, List<ScriptResult<Classification>> results) {
        List<NewMessage> classified = new ArrayList<>(call.messages().size());
        for (int i = 0; i < results.size(); i++) {
            classified.add(classified(call, i, script, results.get(i)));
        }
        return classified;
    }

    private static NewMessage classified(
            EnqueueCall call, int index, QueueScript script, ScriptResult<Classification> result) {
        NewMessage message = call.messages().get(index);
        String at = call.isIndexed() ? "messages[" + index + "]" : "message";
        boolean parks = call.queue().settings().scripts().whenScriptFails().parks();
        if (result instanceof Unanswered<Classification> unanswered) {
            if (!parks) {
                throw unanswered.toProblem(at, script);
            }
            return message.parked(parking(unanswered));
        }
        NewMessage classified = message.classified(((Answered<Classification>) result).answer());
        MessageCheck.requireOrderingKey(call.queue(), classified, at);
        return classified;
    }

    static Parking parking(Unanswered<Classification> unanswered) {
        return new Parking(unanswered.failureReason(), ErrorText.storable(unanswered.reason()), unanswered.isRun());
    }
}
