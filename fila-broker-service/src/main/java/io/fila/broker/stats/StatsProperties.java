package io.fila.broker.stats;

import java.time.Duration;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Statistics as metrics.
 *
 * @param interval how long after a sample of queues and throttles for their gauges the next begins; longer if samples take long
 */
@Validated
@ConfigurationProperties("fila.broker.stats")
record StatsProperties(
        @DefaultValue("10s") @DurationMin(seconds = 1) Duration interval) {}
