package io.fila.broker.throttle;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A throttle as its declarations come to, or came to when the last one ended. What is done by its limits is a hint, and what is
 * known of its buckets holds as long as they do: a claim reads them where they are true, in the database.
 *
 * @param limits the effective ones, by window
 */
public record ActiveThrottle(String name, List<KeyComponent> key, MissingKey whenKeyMissing, List<Limit> limits) {

    /** No more than this can have room at once. */
    public int most() {
        return limits.stream().mapToInt(Limit::count).min().orElse(0);
    }

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
