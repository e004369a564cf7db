package io.fila.client;

import java.util.List;

/**
 * What to subscribe to.
 *
 * @param consumer a name for people to read in statistics and failure histories
 * @param throttles apply to every message of the queue, whoever receives it, while this subscription lasts
 */
public record SubscriptionSpec(String queue, String consumer, List<ThrottleSpec> throttles) {

    public SubscriptionSpec {
        throttles = List.copyOf(throttles);
    }
}
