package io.fila.broker.message;

import java.util.List;
import java.util.UUID;

import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Queue;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.KeyHash;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * What tells a queue's lanes apart: the ordering group, or else the fairness key and the given components. The lane of a message is
 * the name of its values; the components are part of it, so that a message stored under another lane key is recognised by its lane
 * alone.
 *
 * <p>An ordering group is one lane, whatever keys its messages have: what its head draws from is the head's to say.
 *
 * @param ordering null: the queue keeps no order
 */
public record LaneKey(
        List<KeyComponent> components, @Nullable Ordering ordering) {

    public LaneKey {
        components = List.copyOf(components);
    }

    /** Of a queue without order. */
    public LaneKey(List<KeyComponent> components) {
        this(components, null);
    }

    /** That of a queue. */
    public static LaneKey of(Queue queue) {
        return of(queue.laneKey(), queue.settings().ordering());
    }

    /** From its stored form. */
    static LaneKey of(List<String> stored, @Nullable Ordering ordering) {
        List<KeyComponent> components = stored.stream()
                .map(text -> KeyComponent.parse("lane key", text))
                .toList();
        return new LaneKey(components, ordering);
    }

    /** The lane of a message. */
    public UUID laneOf(Keyed message) {
        return placeOf(message).lane();
    }

    /** Whether a message is of an ordering group. */
    public boolean isGroup(Keyed message) {
        return ordering != null && ordering.hasKey(message);
    }

    /** Where a message belongs. */
    public Place placeOf(Keyed message) {
        Ordering order = ordering;
        if (order != null && order.hasKey(message)) {
            return new Place(name(new KeyHash().add("ordering group"), order.key(), message), true);
        }
        KeyHash hash = new KeyHash().add("lane").add(message.fairnessKey());
        return new Place(name(hash, components, message), false);
    }

    private static UUID name(KeyHash hash, List<KeyComponent> components, Keyed message) {
        for (KeyComponent component : components) {
            hash.add(component.toString()).add(component.valueOf(message));
        }
        return hash.toUuid();
    }

    /** A lane, and whether it is an ordering group. */
    public record Place(UUID lane, boolean isOrdered) {}
}
