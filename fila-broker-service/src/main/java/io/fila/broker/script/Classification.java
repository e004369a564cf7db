package io.fila.broker.script;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What {@code on_enqueue} says of a message.
 *
 * @param fairnessKey null: that of the producer
 * @param weight null: that of the producer
 */
public record Classification(
        @Nullable String fairnessKey, @Nullable Integer weight, Map<String, String> attributes) {

    public Classification {
        attributes = Map.copyOf(attributes);
    }
}
