package io.fila.broker.script;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** Counts runs of scripts, by queue, hook and outcome. */
@Component
class ScriptMeters {

    enum Outcome {
        ANSWERED("answered"),
        FAILED("failed"),
        TIMED_OUT("timed_out"),
        /** Not run, since it had kept timing out. */
        SKIPPED("skipped");

        private final String tag;

        Outcome(String tag) {
            this.tag = tag;
        }
    }

    private record Key(String queue, Hook hook, Outcome outcome) {}

    private final MeterRegistry registry;
    private final Map<Key, Counter> counters = new ConcurrentHashMap<>();

    ScriptMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void count(QueueScript script, Outcome outcome) {
        counters.computeIfAbsent(
                        new Key(script.queue(), script.hook(), outcome),
                        key -> registry.counter(
                                "fila.script.runs",
                                "queue",
                                key.queue(),
                                "hook",
                                key.hook().functionName(),
                                "outcome",
                                key.outcome().tag))
                .increment();
    }
}
