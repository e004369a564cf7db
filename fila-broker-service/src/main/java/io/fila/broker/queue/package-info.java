/**
 * Queues and their settings. Every queue comes with a dead letter queue, {@code NAME.dlq}, and goes with it. A change is told to
 * {@link io.fila.broker.queue.QueueChanges} after its commit; deleting waits for the claims and enqueues that are under way, and so do
 * changes of settings, for claims.
 */
@NullMarked
package io.fila.broker.queue;

import org.jspecify.annotations.NullMarked;
