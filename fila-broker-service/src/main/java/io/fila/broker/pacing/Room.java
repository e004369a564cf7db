package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The room of a bucket as counted in the database.
 *
 * @param g the moment it was counted for
 * @param room how many deliveries all limits allow at once
 * @param roomInNanos how long after {@code g} there is room again; null while there is
 */
record Room(
        UUID bucket, OffsetDateTime g, int room, @Nullable Long roomInNanos) {

    /** How long after {@code g} there is room again; {@code otherwise} if that is not known. */
    long nanosOr(long otherwise) {
        return roomInNanos == null ? otherwise : roomInNanos;
    }
}
