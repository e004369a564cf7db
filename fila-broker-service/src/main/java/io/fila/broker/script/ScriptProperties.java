package io.fila.broker.script;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import io.fila.broker.problem.SizeRange;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * What scripts may use.
 *
 * @param maxTime how long one run may take
 * @param maxMemory how much one run may allocate
 * @param maxSteps how many instructions one run may take
 * @param threads how many scripts of this node run at the same time, each of another queue
 */
@Validated
@ConfigurationProperties("fila.broker.script")
record ScriptProperties(
        @DefaultValue("10ms") @DurationMin(millis = 1) @DurationMax(seconds = 1)
        Duration maxTime,

        @DefaultValue("1MB") @SizeRange DataSize maxMemory,

        @DefaultValue("1000000") @Min(1_000) @Max(1_000_000_000) long maxSteps,

        @DefaultValue("2") @Min(1) @Max(64) int threads) {}
