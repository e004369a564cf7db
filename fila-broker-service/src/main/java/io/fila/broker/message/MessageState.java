package io.fila.broker.message;

import java.util.Locale;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/** What a message is, as statistics and lists show it. */
public enum MessageState {
    READY,
    DELAYED,
    UNCLASSIFIED,
    LEASED,
    THROTTLED;

    /** Reads a state's lower-case name, or throws {@code invalid-request}. */
    public static MessageState parse(String field, String text) {
        for (MessageState state : values()) {
            if (state.toString().equals(text)) {
                return state;
            }
        }
        throw ProblemException.invalid("%s: expected ready, delayed, throttled, leased or unclassified; got '%s'"
                .formatted(field, Names.shown(text)));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
