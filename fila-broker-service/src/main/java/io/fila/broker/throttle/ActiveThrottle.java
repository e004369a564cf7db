package io.fila.broker.throttle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A throttle in force on a queue, as far as it says which bucket a message draws from. Its limits are not here: a claim reads
 * them where they are true, in the database.
 *
 * @param most no more than this can have room at once; a hint for how much to propose
 */
public record ActiveThrottle(String name, List<KeyComponent> key, MissingKey whenKeyMissing, int most) {

    /** The bucket that the message draws from; empty if the throttle does not apply to it. */
    public Optional<Bucket> bucketOf(Keyed message) {
        List<String> values = new ArrayList<>(key.size());
        for (KeyComponent component : key) {
            String value = component.valueOf(message);
            if (value == null) {
                return bucketOfMissingKey();
            }
            values.add(value);
        }
        return Optional.of(Bucket.of(name, key, values));
    }

    /** The bucket that messages lacking the key share; empty if the throttle does not apply to them. */
    public Optional<Bucket> bucketOfMissingKey() {
        return whenKeyMissing == MissingKey.UNTHROTTLED ? Optional.empty() : Optional.of(Bucket.of(name, key, null));
    }
}
