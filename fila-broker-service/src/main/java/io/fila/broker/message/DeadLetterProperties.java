package io.fila.broker.message;

import java.time.Duration;

import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Dead letters.
 *
 * @param sweepInterval how often what has been dead-lettered for longer than its queue's deadLetterRetention is looked for and removed
 */
@Validated
@ConfigurationProperties("fila.broker.dead-letters")
record DeadLetterProperties(
        @DefaultValue("1m") @DurationMin(seconds = 1) @DurationMax(hours = 1)
        Duration sweepInterval) {}
