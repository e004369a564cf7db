package io.fila.broker.throttle;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/** What a keyed throttle does with a message that lacks the key. */
public enum MissingKey {
    SHARED_BUCKET("shared-bucket"),
    UNTHROTTLED("unthrottled");

    private final String text;

    MissingKey(String text) {
        this.text = text;
    }

    /** Reads {@code shared-bucket} or {@code unthrottled}, or throws {@code invalid-request}. */
    public static MissingKey parse(String field, String text) {
        for (MissingKey policy : values()) {
            if (policy.text.equals(text)) {
                return policy;
            }
        }
        throw ProblemException.invalid(
                "%s: expected shared-bucket or unthrottled, got '%s'".formatted(field, Names.shown(text)));
    }

    @Override
    public String toString() {
        return text;
    }
}
