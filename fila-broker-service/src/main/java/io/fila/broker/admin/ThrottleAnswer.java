package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.stats.ThrottleStats;

/** A throttle as it is shown. */
record ThrottleAnswer(
        String name,
        List<String> limits,
        List<Declared> declared,
        List<String> key,
        String whenKeyMissing,
        List<String> queues,
        int subscribers,
        long activeBuckets,
        long bucketsAtLimit,
        long waiting,
        List<BucketAnswer> topBuckets)
        implements Answer {

    record Declared(List<String> limits, int subscribers) {}

    static ThrottleAnswer of(ThrottleStats throttle) {
        return new ThrottleAnswer(
                throttle.name(),
                Texts.of(throttle.limits()),
                throttle.declared().stream()
                        .map(declared -> new Declared(Texts.of(declared.limits()), declared.subscribers()))
                        .toList(),
                Texts.of(throttle.key()),
                throttle.whenKeyMissing().toString(),
                Texts.of(throttle.queues()),
                throttle.subscribers(),
                throttle.activeBuckets(),
                throttle.bucketsAtLimit(),
                throttle.waiting(),
                throttle.topBuckets().stream().map(BucketAnswer::of).toList());
    }
}
