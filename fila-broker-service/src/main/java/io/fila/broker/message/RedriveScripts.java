package io.fila.broker.message;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.fila.broker.queue.Queue;
import io.fila.broker.script.Classification;
import io.fila.broker.script.EnqueuedMessage;
import io.fila.broker.script.QueueScript;
import io.fila.broker.script.ScriptResult;
import io.fila.broker.script.ScriptResult.Answered;
import io.fila.broker.script.Scripts;
import org.springframework.stereotype.Component;

/** Has dead letters classified anew before they go back to their queue. Safe for use by several threads. */
@Component
class RedriveScripts {

    private final Scripts scripts;

    RedriveScripts(Scripts scripts) {
        this.scripts = scripts;
    }

    /** Whether a script is to be run for any dead letter of the queue. */
    static boolean areRun(Queue queue, Reclassify reclassify) {
        return reclassify != Reclassify.NONE && Classifier.scriptOf(queue) != null;
    }

    /**
     * Runs the queue's script for the dead letters that are to be classified anew; blocks until it has answered for all of them, or throws
     * {@code rate-limited}. The result says what a dead letter goes back as, and nothing if it cannot: the script failed for it, or
     * was not asked although nothing is known of it.
     */
    Function<DeadLetter, Optional<DeadLetter>> classify(Queue queue, Reclassify reclassify, List<DeadLetter> letters) {
        QueueScript script = Classifier.scriptOf(queue);
        if (script == null) {
            // without a script a message is what its producer says
            return Optional::of;
        }
        List<DeadLetter> asked =
                letters.stream().filter(letter -> isAsked(reclassify, letter)).toList();
        Map<Long, Classification> answers = asked.isEmpty() ? Map.of() : run(queue, script, asked);
        return letter -> {
            if (!isAsked(reclassify, letter)) {
                return letter.isUnclassified() ? Optional.empty() : Optional.of(letter);
            }
            return Optional.ofNullable(answers.get(letter.sequence())).map(letter::classified);
        };
    }

    private static boolean isAsked(Reclassify reclassify, DeadLetter letter) {
        return reclassify == Reclassify.ALL || reclassify == Reclassify.UNCLASSIFIED && letter.isUnclassified();
    }

    private Map<Long, Classification> run(Queue queue, QueueScript script, List<DeadLetter> asked) {
        List<EnqueuedMessage> messages = asked.stream()
                .map(letter -> new EnqueuedMessage(
                        letter.headers(), letter.payloadSize(), queue.name().value()))
                .toList();
        List<ScriptResult<Classification>> results;
        try {
            results = scripts.classify(script, messages, false).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : e;
        }
        Map<Long, Classification> answers = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof Answered<Classification> answered) {
                answers.put(asked.get(i).sequence(), answered.answer());
            }
        }
        return answers;
    }
}
