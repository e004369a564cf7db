package io.fila.broker.queue;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message that {@code on_enqueue} fails for.
 *
 * @param deadLetterAfter a parked message goes to the dead letter queue after so many failed tries; null: it is tried for ever
 */
public record WhenScriptFails(Policy policy, @Nullable Integer deadLetterAfter) {

    /** Its enqueue is refused. */
    public static final WhenScriptFails REJECT = new WhenScriptFails(Policy.REJECT, null);

    private static final int MOST_TRIES = 1_000_000;

    public enum Policy {
        /** Its enqueue is refused. */
        REJECT("reject"),
        /** It is stored as unclassified, and tried again. */
        PARK("park");

        private final String text;

        Policy(String text) {
            this.text = text;
        }

        /** Reads {@code reject} or {@code park}. */
        public static Policy parse(String field, String text) {
            for (Policy policy : values()) {
                if (policy.text.equals(text)) {
                    return policy;
                }
            }
            throw ProblemException.invalid(
                    "%s: expected 'reject' or 'park', got '%s'".formatted(field, Names.shown(text)));
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Checked, as it comes from a caller. */
    public static WhenScriptFails of(String field, Policy policy, @Nullable Integer deadLetterAfter) {
        if (deadLetterAfter != null && policy == Policy.REJECT) {
            throw ProblemException.invalid(
                    field + ".deadLetterAfter: expected only with policy 'park', since nothing is kept with 'reject'");
        }
        if (deadLetterAfter != null && (deadLetterAfter < 1 || deadLetterAfter > MOST_TRIES)) {
            throw ProblemException.invalid(
                    "%s.deadLetterAfter: expected 1 to %d, got %d".formatted(field, MOST_TRIES, deadLetterAfter));
        }
        return new WhenScriptFails(policy, deadLetterAfter);
    }

    public boolean parks() {
        return policy == Policy.PARK;
    }
}
