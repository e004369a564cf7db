/**
 * What is waiting, and for what: counts for people, dashboards and alarms. Nothing here decides a delivery.
 *
 * <p>Two readings are put together. A {@link io.fila.broker.stats.Backlog} is what a queue holds, by state, its ready messages
 * grouped by the buckets they draw from; it costs an index entry for each message of that queue and a probe for each lane. A
 * {@link io.fila.broker.stats.BucketCensus} is which buckets of a throttle have no room; it costs some probes for each bucket in
 * recent use. A message is throttled if a bucket it draws from is in the census, so the same two answer for queues, throttles
 * and buckets alike, and agree with each other.
 *
 * <p>Each reading is of one snapshot of the database, but different ones are of different moments: an answer may pair what waits
 * now with the buckets of half a second ago. None is older than a second, unless counting itself takes longer, as it does when
 * very many wait. Asking more often costs nothing more: readings are kept for half a second, shared by all who ask,
 * and two run at a time. Without the database there is no answer ({@code storage-unavailable}).
 *
 * <p>Rooms are counted as {@code pacing} counts them for a claim, lanes and throttles are read from the tables that
 * {@code message} and {@code subscription} write.
 */
@NullMarked
package io.fila.broker.stats;

import org.jspecify.annotations.NullMarked;
