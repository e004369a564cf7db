package io.fila.broker.throttle;

import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Names a bucket of a throttle.
 *
 * @param id follows from the rest, so that nodes agree on it without asking
 * @param keyValues empty for the one bucket of an unkeyed throttle, null for that of messages lacking the key
 */
public record Bucket(UUID id, String throttle, @Nullable List<String> keyValues) {

    static Bucket of(String throttle, List<KeyComponent> key, @Nullable List<String> keyValues) {
        KeyHash hash = new KeyHash().add("bucket").add(throttle);
        key.forEach(component -> hash.add(component.toString()));
        hash.add(null);
        if (keyValues != null) {
            keyValues.forEach(hash::add);
        }
        return new Bucket(hash.toUuid(), throttle, keyValues);
    }
}
