/**
 * Pacing: which message goes when. Memory proposes, PostgreSQL disposes.
 *
 * <p><b>Promise.</b> For every limit {@code N/W} of every bucket, across all nodes and their crashes: at most {@code N} deliveries
 * in any half-open window of length {@code W}. A delivery happens when a message is handed to its consumer's connection.
 *
 * <p><b>How.</b> Each node keeps, for each queue it has consumers of, a picture of what is waiting ({@link
 * io.fila.broker.pacing.Scheduler}); it may be wrong. The {@link io.fila.broker.pacing.PacingLoop} has it proposed to the
 * database, where one transaction ({@link io.fila.broker.pacing.Claims}) leases messages and counts them in every bucket they
 * draw from, or does neither (I1). Buckets are rows; their locks make grants of one bucket serial. There is nobody to elect and
 * nothing to hand over: a node can be killed at any instruction.
 *
 * <p><b>Why it holds.</b> A claim reads the node's monotonic clock, {@code t0}, before its transaction begins. Holding its buckets'
 * locks it takes for each a moment {@code g} of the database's clock ({@code count_room.sql}): the present, or the moment at which
 * the bucket is known to have room, if the claim runs ahead of it; never less than an earlier {@code g} of the bucket ({@code
 * last_grant}). It records its deliveries with {@code until = g + h}. They are sent once the database's clock has surely reached {@code g}
 * ({@link io.fila.broker.pacing.Departure}), and the {@link io.fila.broker.pacing.Dispatcher} sends nothing once the node's clock
 * has passed {@code t0 + h} (I2), and {@code t0} was earlier than {@code g}; so {@code until} is a bound on when the messages were
 * sent, and it stays one when it is settled to what was measured ({@link io.fila.broker.pacing.Aftermath}). Take any window shorter than {@code W}, and of the deliveries in
 * it the one granted last, at {@code g*}, sent at {@code s* >= g*}. Every other one was sent at some {@code s} with
 * {@code |s - s*| < W}, so its {@code until >= s > s* - W >= g* - W}: it was counted when the last one was granted, and the count
 * allowed at most {@code N} in all.
 *
 * <p>It needs: grants of one bucket are serial, and {@code g} never falls in their order (row locks, {@code last_grant}); nothing
 * is sent before {@code g} (it is sent after the commit, and not before its departure is due); {@code until} bounds every send; no claim goes by throttles older than
 * the last accepted subscription of its queue (I4: the fence and the version, {@link io.fila.broker.jdbc.Fence}; limits are read
 * in the transaction); a token returns only for a message that was never handed over (I3); the database's clock has not been set
 * since the records were made, and has forgotten none that a window reaches back to ({@link io.fila.broker.clock.Timeline}, held and asked
 * by every claim).
 *
 * <p><b>Fast deliveries.</b> Claims of such queues do not wait for the disk, and a crash may forget the latest of them, each as a whole.
 * No grant of their throttles is then for a moment closer to what was forgotten than the longest window ({@code counted_throttle}), so
 * no window holds both. What was granted before the crash was counted then; settlements and refunds that are forgotten leave more counted
 * than was sent.
 *
 * <p><b>Permits</b> ({@link io.fila.broker.pacing.Permits}) are claims without messages, so that calls which do not come from a
 * queue are counted too; the moment of a permit is that of its answer, and the proof is the same for both together.
 *
 * <p><b>Cost.</b> A lane whose bucket has no room costs nothing until it has (I5); a claim waits for no lock while it holds one (I6)
 * and looks only where its indexes point (I7).
 *
 * <p><b>Order.</b> An ordering group is one lane, which has its head to give and nothing else ({@link
 * io.fila.broker.pacing.GroupHeads} says why a head that was seen is the head). It is forgotten when the head is leased, and looked up
 * again when that has left or come back. Until then its fairness group counts it as being in flight.
 *
 * <p><b>States of a lane</b> in the scheduler: ready, claimed, parked at the bucket that holds it; it is forgotten when a claim
 * finds it drained. Messages that are claimed wait in the {@link io.fila.broker.pacing.Outbox} until they depart, and are settled by
 * the loop. <b>Failure</b>: when the database is away the loop gives back what it proposed and tries again; when a node
 * may have been taken for dead by others ({@link io.fila.broker.node.Node#isCurrent}), it delivers nothing.
 *
 * <p>Source of the mechanism: a counting of deliveries by a running total, as in prefix sums; the count inside a window is the
 * bucket's total less the total of the last record outside it.
 */
@NullMarked
package io.fila.broker.pacing;

import org.jspecify.annotations.NullMarked;
