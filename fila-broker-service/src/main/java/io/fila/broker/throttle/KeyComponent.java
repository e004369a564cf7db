package io.fila.broker.throttle;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** One property of a message by which a key tells messages apart. */
public sealed interface KeyComponent {

    /** A header, by its case-sensitive name. */
    record Header(String name) implements KeyComponent {
        @Override
        public @Nullable String valueOf(Keyed message) {
            return message.headers().get(name);
        }

        @Override
        public String toString() {
            return "header:" + name;
        }
    }

    /** An attribute that the queue's script computed. */
    record Attribute(String name) implements KeyComponent {
        @Override
        public @Nullable String valueOf(Keyed message) {
            return message.attributes().get(name);
        }

        @Override
        public String toString() {
            return "attribute:" + name;
        }
    }

    /** The fairness key. */
    record FairnessKey() implements KeyComponent {
        @Override
        public @Nullable String valueOf(Keyed message) {
            return message.fairnessKey();
        }

        @Override
        public String toString() {
            return "fairnessKey";
        }
    }

    /** The message's value of it; null if it has none (the empty string is a value). */
    @Nullable String valueOf(Keyed message);

    /** Reads {@code header:NAME}, {@code attribute:NAME} or {@code fairnessKey}, or throws {@code invalid-request}. */
    static KeyComponent parse(String field, String text) {
        if (text.indexOf('\0') >= 0) {
            throw ProblemException.invalid(field + ": expected text without the character NUL");
        }
        if (text.equals("fairnessKey")) {
            return new FairnessKey();
        }
        if (text.startsWith("header:") && text.length() > 7 && text.length() <= 300) {
            return new Header(text.substring(7));
        }
        if (text.startsWith("attribute:") && text.length() > 10 && text.length() <= 300) {
            return new Attribute(text.substring(10));
        }
        throw ProblemException.invalid("%s: expected header:NAME, attribute:NAME or fairnessKey; got '%s'"
                .formatted(field, Names.shown(text)));
    }
}
