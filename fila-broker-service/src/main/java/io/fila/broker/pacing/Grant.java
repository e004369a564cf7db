package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * The record of a claim's deliveries in one bucket.
 *
 * @param g the moment of the grant, by the database's clock
 * @param until the bound by which they will have been sent, as stored
 * @param record the id of the record
 */
record Grant(UUID bucket, OffsetDateTime g, OffsetDateTime until, long record, int count) {}
