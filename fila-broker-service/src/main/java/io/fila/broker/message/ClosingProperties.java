package io.fila.broker.message;

import java.time.Duration;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Bounds on closing buckets.
 *
 * @param maxBucketClose the longest that a consumer may close buckets for at a time
 */
@Validated
@ConfigurationProperties("fila.broker")
record ClosingProperties(
        @DefaultValue("1h") @DurationMin(millis = 1) Duration maxBucketClose) {}
