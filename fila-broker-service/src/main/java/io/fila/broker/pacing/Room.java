package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * The room of a bucket as counted in the database.
 *
 * @param g the moment it was counted for, by the database's clock; it may lie ahead
 * @param room how many deliveries all limits allow at that moment
 * @param roomAt when there is room for as many as are needed, one for a claim; null while there is
 * @param isFinal whether that stays true: it does not if it goes by a bound that may yet be settled
 */
record Room(
        UUID bucket, OffsetDateTime g, int room, @Nullable OffsetDateTime roomAt, boolean isFinal) {}
