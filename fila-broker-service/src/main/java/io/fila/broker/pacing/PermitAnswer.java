package io.fila.broker.pacing;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What somebody who asked for permits is told: all were granted, or none.
 *
 * @param roomAt when there is room for all of them, by the database's clock, unless others take it; null if they were granted.
 *     Up to the bound h later than that if it goes by something that was handed over just now
 */
public record PermitAnswer(@Nullable Instant roomAt) {

    static final PermitAnswer GRANTED = new PermitAnswer(null);

    /** Whether they were granted, and count. */
    public boolean isGranted() {
        return roomAt == null;
    }
}
