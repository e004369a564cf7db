package io.fila.broker.stats;

import java.time.OffsetDateTime;
import java.util.Set;
import java.util.UUID;

/**
 * The buckets of a throttle at one moment. A bucket that is not stored has all its room.
 *
 * @param at the moment, by the database's clock
 * @param active how many have deliveries in the longest window
 * @param withoutRoom those from which nothing can be delivered
 */
record BucketCensus(OffsetDateTime at, long active, Set<UUID> withoutRoom) {}
