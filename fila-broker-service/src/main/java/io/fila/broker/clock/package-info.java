/**
 * The database's clock, which deliveries are recorded and counted by, and what is done when it does not run steadily.
 *
 * <p><b>Promise.</b> No claim commits, no record is settled or forgotten, and no subscription is ended for its age, while the
 * clock may have been set, or be another server's, without the records having been moved accordingly; nor while records may have been
 * forgotten in a crash, without their throttles pausing.
 *
 * <p><b>How.</b> Every exchange bounds the difference between the database's clock and this node's monotonic one ({@link
 * io.fila.broker.clock.DatabaseClock}). Work that goes by the clock holds the timeline's lock shared and compares a reading with
 * what is known ({@link io.fila.broker.clock.Timeline}); if they contradict each other, or the server was started after the one the
 * records were made by, the work is rolled back and the timeline recovered, under the exclusive lock: by a node that knows how far
 * the clock was set, records are moved by that much; if there is none, they count as made now, which costs allowance for up to
 * a window and exceeds nothing.
 *
 * <p>A replica that takes over may lack the latest commits, if the operator says so ({@link io.fila.broker.clock.Failover}): then
 * windows that reach back before the takeover have no room, and a node claims nothing before it has made sure that the
 * subscriptions it holds are there.
 *
 * <p>When PostgreSQL has recovered from a crash, or a replica has taken over, the throttles of queues with fast deliveries may have forgotten
 * some: a window of theirs that reaches back before has no room ({@code CrashRecovery}). It is noticed by an unlogged table that
 * PostgreSQL empties then, which is read with the clock. Which throttles these are is read from what is left, so nobody ends a
 * declaration, fast deliveries or a queue without holding the timeline and the queue's fence.
 *
 * <p>What is known survives a restart of the node on the same host: it is marked in the database each second, for this boot of
 * the host. Where the operating system tells neither boot nor a monotonic clock that processes share (it is Linux that does), a
 * restart of database and all nodes together counts as an unknown clock.
 *
 * <p><b>Limits.</b> Two clocks are taken to drift apart by less than a thousandth. A faster drift is taken for a clock that was
 * set. Visibility timeouts and delays go by the clock as it is: set forward, it lets leases expire and delays end early.
 */
@NullMarked
package io.fila.broker.clock;

import org.jspecify.annotations.NullMarked;
