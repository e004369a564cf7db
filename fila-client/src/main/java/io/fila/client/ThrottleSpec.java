package io.fila.client;

import java.util.List;

/**
 * A throttle as a consumer declares it.
 *
 * @param name global: declarations of one name, on any queue, share their buckets
 * @param limits at least one, as {@code N/W}: {@code 60/1m} is at most 60 deliveries in any window of a minute
 * @param key components ({@code header:NAME}, {@code attribute:NAME}, {@code fairnessKey}); empty: one bucket for all
 * @param whenKeyMissing what holds for messages that lack a component of the key
 */
public record ThrottleSpec(String name, List<String> limits, List<String> key, MissingKey whenKeyMissing) {

    public ThrottleSpec {
        limits = List.copyOf(limits);
        key = List.copyOf(key);
    }

    /** A throttle without a key. */
    public static ThrottleSpec of(String name, String... limits) {
        return new ThrottleSpec(name, List.of(limits), List.of(), MissingKey.SHARED_BUCKET);
    }

    /** The same throttle with one bucket for each value of the key. */
    public ThrottleSpec keyedBy(String... components) {
        return new ThrottleSpec(name, limits, List.of(components), whenKeyMissing);
    }

    /** The same throttle with another missing-key policy. */
    public ThrottleSpec whenKeyMissing(MissingKey policy) {
        return new ThrottleSpec(name, limits, key, policy);
    }
}
