package io.fila.history;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A bucket: of a throttle without a key there is one; of a keyed one, one for each combination of values.
 *
 * @param key the values, in the order of the throttle's key; null for the bucket of a throttle without a key, and for that of the
 *     messages that lack it
 */
public record BucketName(String throttle, @Nullable List<String> key) {

    @Override
    public String toString() {
        return key == null ? throttle : throttle + key;
    }
}
