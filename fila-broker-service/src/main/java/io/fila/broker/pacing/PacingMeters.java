package io.fila.broker.pacing;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.springframework.stereotype.Component;

/** What pacing measures, by throttle and never by key. */
@Component
class PacingMeters {

    private final MeterRegistry registry;
    private final Timer claims;

    PacingMeters(MeterRegistry registry) {
        this.registry = registry;
        this.claims = Timer.builder("fila.claim")
                .description("How long claims take, from their beginning to their commit")
                .register(registry);
    }

    void claimed(Duration duration) {
        claims.record(duration);
    }

    /** Tokens were granted for messages that could not be sent in time. */
    void tokensExpired(String throttle, int count) {
        registry.counter("fila.throttle.tokens_expired", "throttle", throttle).increment(count);
    }

    /** Somebody who asked for so many permits got all or none of them. */
    void permits(String throttle, int count, boolean granted) {
        registry.counter("fila.throttle.permits", "throttle", throttle, "granted", Boolean.toString(granted))
                .increment(count);
    }
}
