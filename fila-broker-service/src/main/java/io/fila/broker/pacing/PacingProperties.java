package io.fila.broker.pacing;

import java.time.Duration;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How deliveries are paced.
 *
 * @param tokenExpiry the bound h: a message is sent within so long after its claim began, or not at all on that claim
 * @param sweepInterval how often a queue is looked through for messages whose signal was lost
 * @param maxBatch the most messages leased by one claim
 * @param maxLanes the most lanes proposed to one claim
 * @param threads how many queues are paced at the same moment
 */
@Validated
@ConfigurationProperties("fila.broker.pacing")
record PacingProperties(
        @DefaultValue("250ms") Duration tokenExpiry,
        @DefaultValue("5s") Duration sweepInterval,
        @DefaultValue("500") @Min(1) @Max(10_000) int maxBatch,
        @DefaultValue("256") @Min(1) @Max(10_000) int maxLanes,
        @DefaultValue("4") @Min(1) @Max(64) int threads) {}
