package io.fila.broker.queue;

import java.util.LinkedHashSet;
import java.util.List;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Keyed;

/**
 * The order that a queue keeps: of each ordering group at most one message is in flight, and the next goes when that is
 * acknowledged or dead-lettered. Fixed when the queue is created.
 *
 * @param key messages with equal values are a group; no component: the whole queue is one
 */
public record Ordering(List<KeyComponent> key, WhenKeyMissing whenKeyMissing) {

    private static final int MAX_COMPONENTS = 10;

    /** What becomes of a message that lacks a component of the key. */
    public enum WhenKeyMissing {
        /** Its enqueue fails with {@code ordering-key-missing}. */
        REJECT("reject"),
        /** It goes in no order, beside the groups. */
        UNORDERED("unordered");

        private final String text;

        WhenKeyMissing(String text) {
            this.text = text;
        }

        /** Reads what {@link #toString} writes, or throws {@code invalid-request}. */
        public static WhenKeyMissing parse(String field, String text) {
            for (WhenKeyMissing policy : values()) {
                if (policy.text.equals(text)) {
                    return policy;
                }
            }
            throw ProblemException.invalid(
                    "%s: expected reject or unordered, got '%s'".formatted(field, Names.shown(text)));
        }

        @Override
        public String toString() {
            return text;
        }
    }

    public Ordering {
        key = List.copyOf(key);
    }

    /** From what a caller gives, or throws {@code invalid-request}. */
    public static Ordering parse(String field, List<String> key, WhenKeyMissing whenKeyMissing) {
        if (key.size() > MAX_COMPONENTS) {
            throw ProblemException.invalid(
                    "%s.key: expected at most %d components, got %d".formatted(field, MAX_COMPONENTS, key.size()));
        }
        LinkedHashSet<KeyComponent> components = new LinkedHashSet<>();
        for (int i = 0; i < key.size(); i++) {
            String at = "%s.key[%d]".formatted(field, i);
            if (!components.add(KeyComponent.parse(at, key.get(i)))) {
                throw ProblemException.invalid(
                        "%s: expected each component once, got '%s' again".formatted(at, key.get(i)));
            }
        }
        return new Ordering(List.copyOf(components), whenKeyMissing);
    }

    /** Whether the message has a value of every component: it belongs to a group. */
    public boolean hasKey(Keyed message) {
        return key.stream().allMatch(component -> component.valueOf(message) != null);
    }

    /** The components that the message has no value of. */
    public List<KeyComponent> missing(Keyed message) {
        return key.stream()
                .filter(component -> component.valueOf(message) == null)
                .toList();
    }

    /** The key as callers write it. */
    public List<String> keyTexts() {
        return key.stream().map(KeyComponent::toString).toList();
    }
}
