package io.fila.sample;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.fila.sample.stats.DeliveryStats;
import org.jspecify.annotations.Nullable;

/**
 * What {@code GET /stats} answers.
 *
 * @param figures what this process has counted
 * @param utilisation {@code ratePerSecond} as a part of what the provider allows
 * @param providerMostInAnySecond the most that arrived at the provider; null if it runs in another process
 * @param listening whether the listener is running
 */
record Stats(
        @JsonUnwrapped DeliveryStats.Snapshot figures,
        double utilisation,
        @Nullable Integer providerMostInAnySecond,
        boolean listening) {}
