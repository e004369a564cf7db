package io.fila.client;

import java.util.List;

/**
 * A throttle across all queues, at most a second old.
 *
 * @param throttle with the limits in force: what can never bind is left out
 * @param declared each distinct set of limits that is declared
 * @param activeBuckets those with deliveries in a window
 * @param waiting messages it holds, also those that another throttle holds too
 */
public record ThrottleStats(
        ThrottleSpec throttle,
        List<Declared> declared,
        List<String> queues,
        int subscribers,
        long activeBuckets,
        long bucketsAtLimit,
        long waiting,
        List<BucketStats> topBuckets) {

    public ThrottleStats {
        declared = List.copyOf(declared);
        queues = List.copyOf(queues);
        topBuckets = List.copyOf(topBuckets);
    }

    /** A set of limits, and how many subscribers declare it. */
    public record Declared(List<String> limits, int subscribers) {

        public Declared {
            limits = List.copyOf(limits);
        }
    }
}
