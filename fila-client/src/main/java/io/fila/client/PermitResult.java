package io.fila.client;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What became of asking for permits: all of them are granted, or none.
 *
 * @param roomAt when there is room for all of them, by the clock of the broker's database, unless others take it; null if they were
 *     granted
 */
public record PermitResult(@Nullable Instant roomAt) {

    /** Whether they were granted, and count. */
    public boolean isGranted() {
        return roomAt == null;
    }
}
