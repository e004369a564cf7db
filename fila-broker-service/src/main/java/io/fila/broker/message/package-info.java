/**
 * Messages, from enqueue to acknowledgement.
 *
 * <p>States: {@code ready} and {@code delayed} messages wait, a {@code leased} one is with a consumer, an acknowledged one is gone.
 * Attempts that fail (a nack, an expired lease) lead back to {@code delayed} by the queue's retry policy, or to the dead letter
 * queue. A refusal downstream leads back to {@code ready} without a failed attempt, and closes the buckets of the message ({@code
 * RefusalStore}). All of it is durable when it is answered: an accepted message is never lost, and an acknowledged one never returns.
 *
 * <p>Dead letters stay where they are until somebody brings them back ({@link io.fila.broker.message.Redrives}), or the queue's
 * retention ends ({@code DeadLetterReaper}). Both go through them in transactions of bounded batches, and leave alone what somebody
 * else has.
 *
 * <p>Enqueues and settlements of concurrent callers share statements ({@link io.fila.broker.jdbc.Batcher}), in no order; a producer
 * that wants one hands them over as an {@link io.fila.broker.message.EnqueueSequence}. Times are the
 * database's; expiry and delay never depend on a node's clock ({@link io.fila.broker.message.LeaseReclaimer}, {@code
 * DelayedPromoter}). What becomes ready is announced to {@link io.fila.broker.message.ReadySignals}, which {@code pacing}
 * implements.
 */
@NullMarked
package io.fila.broker.message;

import org.jspecify.annotations.NullMarked;
