package io.fila.broker.pacing;

import java.nio.file.Path;
import java.time.Duration;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

import io.fila.broker.problem.SizeRange;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * How deliveries are paced.
 *
 * @param tokenExpiry the bound h: a message is sent within so long after its claim began, or not at all on that claim; at most
 *     900 ms, for a node that others may soon hold for dead must not send any more, and a recovery of the timeline counts on it
 * @param sweepInterval how often a queue is looked through for messages whose signal was lost; less often where that would take more
 *     than a twentieth of the time
 * @param maxBatch the most messages leased by one claim
 * @param maxLanes the most lanes proposed to one claim
 * @param threads how many queues are paced at the same moment
 * @param deliveryLog where every delivery and every grant of permits is written down, for the history checker
 */
@Validated
@ConfigurationProperties("fila.broker.pacing")
record PacingProperties(
        @DefaultValue("250ms") @DurationMin(millis = 10) @DurationMax(millis = 900)
        Duration tokenExpiry,

        @DefaultValue("5s") @DurationMin(millis = 100) @DurationMax(minutes = 10)
        Duration sweepInterval,

        @DefaultValue("500") @Min(1) @Max(10_000) int maxBatch,
        @DefaultValue("256") @Min(1) @Max(10_000) int maxLanes,
        @DefaultValue("4") @Min(1) @Max(64) int threads,
        @DefaultValue @Valid DeliveryLog deliveryLog) {

    /**
     * The log of all deliveries and all grants of permits.
     *
     * @param file is appended to, one JSON object for each delivery and each grant; no log is written without it
     * @param maxSize the log ends, with a warning, when the file has this size
     */
    record DeliveryLog(
            @Nullable Path file,
            @DefaultValue("1GB") @SizeRange(max = "1TB") DataSize maxSize) {}
}
