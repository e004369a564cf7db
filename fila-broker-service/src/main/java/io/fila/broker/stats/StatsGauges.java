package io.fila.broker.stats;

import java.util.Map;
import java.util.function.Function;

import io.fila.broker.queue.QueueName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import org.springframework.stereotype.Component;

/**
 * The last sample, as gauges. Every node shows the whole cluster: of several nodes, take one, not the sum. What is no longer
 * sampled has no series.
 */
@Component
class StatsGauges {

    private static final String CLUSTER = ", across the cluster: every node shows the same";

    private final MultiGauge ready;
    private final MultiGauge delayed;
    private final MultiGauge throttled;
    private final MultiGauge leased;
    private final MultiGauge unclassified;
    private final MultiGauge activeBuckets;
    private final MultiGauge bucketsAtLimit;
    private final MultiGauge waiting;

    StatsGauges(MeterRegistry registry) {
        ready = gauge(registry, "fila.queue.ready", "Messages that may be delivered now");
        delayed = gauge(registry, "fila.queue.delayed", "Messages that wait for a moment");
        throttled = gauge(registry, "fila.queue.throttled", "Messages of which a bucket has no room");
        leased = gauge(registry, "fila.queue.leased", "Messages with consumers");
        unclassified = gauge(registry, "fila.queue.unclassified", "Messages whose script failed");
        activeBuckets = gauge(
                registry, "fila.throttle.active_buckets", "Buckets with deliveries in the throttle's longest window");
        bucketsAtLimit = gauge(registry, "fila.throttle.buckets_at_limit", "Buckets without room");
        waiting = gauge(registry, "fila.throttle.waiting", "Messages that the throttle holds");
    }

    /** A throttle's part of a sample. */
    record ThrottleSample(long activeBuckets, long bucketsAtLimit, long waiting) {}

    void show(Map<QueueName, QueueStats> queues, Map<String, ThrottleSample> throttles) {
        show(ready, "queue", queues, QueueStats::ready);
        show(delayed, "queue", queues, QueueStats::delayed);
        show(throttled, "queue", queues, QueueStats::throttled);
        show(leased, "queue", queues, QueueStats::leased);
        show(unclassified, "queue", queues, QueueStats::unclassified);
        show(activeBuckets, "throttle", throttles, ThrottleSample::activeBuckets);
        show(bucketsAtLimit, "throttle", throttles, ThrottleSample::bucketsAtLimit);
        show(waiting, "throttle", throttles, ThrottleSample::waiting);
    }

    private static <K, V> void show(MultiGauge gauge, String tag, Map<K, V> sample, Function<V, Long> value) {
        gauge.register(
                sample.entrySet().stream()
                        .map(entry -> Row.of(Tags.of(tag, entry.getKey().toString()), value.apply(entry.getValue())))
                        .toList(),
                true);
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String what) {
        return MultiGauge.builder(name).description(what + CLUSTER).register(registry);
    }
}
