package io.fila.broker.stats;

import java.util.List;

import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;

/**
 * A throttle across all queues.
 *
 * @param limits the effective ones: what can never bind is left out
 * @param declared each distinct set of limits with how many subscribers declare it
 * @param activeBuckets buckets with deliveries in a window
 * @param waiting messages it holds, also those that another throttle holds too
 */
public record ThrottleStats(
        String name,
        List<Limit> limits,
        List<Declared> declared,
        List<KeyComponent> key,
        MissingKey whenKeyMissing,
        List<QueueName> queues,
        int subscribers,
        long activeBuckets,
        long bucketsAtLimit,
        long waiting,
        List<BucketStats> topBuckets) {

    /** One distinct set of declared limits. */
    public record Declared(List<Limit> limits, int subscribers) {}
}
