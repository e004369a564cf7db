package io.fila.broker.message;

import java.util.List;
import java.util.UUID;

import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.KeyHash;
import io.fila.broker.throttle.Keyed;

/**
 * What tells a queue's lanes apart: the fairness key and the given components. The lane of a message is the name of its values;
 * the components are part of it, so that a message stored under another lane key is recognised by its lane alone.
 */
public record LaneKey(List<KeyComponent> components) {

    public LaneKey {
        components = List.copyOf(components);
    }

    /** From its stored form. */
    public static LaneKey parse(List<String> stored) {
        return new LaneKey(stored.stream()
                .map(text -> KeyComponent.parse("lane key", text))
                .toList());
    }

    /** The lane of a message. */
    public UUID laneOf(Keyed message) {
        KeyHash hash = new KeyHash().add("lane").add(message.fairnessKey());
        for (KeyComponent component : components) {
            hash.add(component.toString()).add(component.valueOf(message));
        }
        return hash.toUuid();
    }
}
