package io.fila.broker.message;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import io.fila.broker.problem.SizeRange;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Bounds on messages.
 *
 * @param maxPayload the largest payload accepted
 * @param maxHeaders the most headers of one message
 * @param maxHeaderSize the most that the names and values of one message's headers may come to together
 * @param maxRequestMessages the most messages in one enqueue
 * @param maxRequestSize the most that one enqueue may carry
 * @param maxDelay the longest delay of a message
 */
@Validated
@ConfigurationProperties("fila.broker.message")
record MessageProperties(
        @DefaultValue("1MB") @SizeRange DataSize maxPayload,
        @DefaultValue("64") @Min(0) @Max(10_000) int maxHeaders,
        @DefaultValue("16KB") @SizeRange DataSize maxHeaderSize,
        @DefaultValue("10000") @Min(1) @Max(100_000) int maxRequestMessages,
        @DefaultValue("32MB") @SizeRange DataSize maxRequestSize,
        @DefaultValue("365d") @DurationMin(millis = 1) Duration maxDelay) {}
