package io.fila.broker.message;

import java.util.Locale;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/** Of which redriven messages the queue's script computes the fairness key and the attributes anew. */
public enum Reclassify {

    /** Of all of them. */
    ALL,

    /** Of those for which it failed. */
    UNCLASSIFIED,

    /** Of none: they go with what they have. */
    NONE;

    /** Reads a lower-case name, or throws {@code invalid-request}. */
    public static Reclassify parse(String field, String text) {
        for (Reclassify reclassify : values()) {
            if (reclassify.toString().equals(text)) {
                return reclassify;
            }
        }
        throw ProblemException.invalid(
                "%s: expected all, unclassified or none; got '%s'".formatted(field, Names.shown(text)));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
