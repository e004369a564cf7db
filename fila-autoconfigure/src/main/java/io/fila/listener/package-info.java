/**
 * Receiving: methods annotated with {@link io.fila.listener.FilaListener} handle the messages of a queue.
 *
 * <p><b>Promise.</b> A container never holds more messages than it has handlers: it asks the broker for one delivery per free
 * handler, and not again before that handler is done. A message whose delivery would exceed a throttle stays with the broker,
 * so a listener needs no pacing of its own. A slow handler keeps its message, for its lease is extended while it runs; but a
 * process that stalls for longer than a lease, or is killed, may see a message twice.
 *
 * <p><b>States.</b> {@code STOPPED → RUNNING ⇄ PAUSED → DRAINING → STOPPED}, one enum, one lock, changed in one method:
 * {@code Lifecycle} owns all three. Paused, the subscription and its throttles stay in force without credit.
 * Draining, what arrives is given back without an attempt, and running handlers may finish for the shutdown timeout.
 *
 * <p><b>Outcome.</b> Return is ack, exception is nack with its class and message; {@link io.fila.listener.RetryAfterException} and
 * {@link io.fila.listener.DeadLetterException} say more, and {@link io.fila.listener.DownstreamLimitedException} says that it was
 * not the message's fault: its buckets close for a while, and no attempt is lost. A payload that cannot be converted is
 * dead-lettered, for it can never succeed.
 *
 * <p><b>Failures.</b> A lost connection is the client's to mend. A refusal that another deployment may lift (no such queue, a
 * throttle conflict) is tried again with backoff; any other stops the container. State and last error can be read.
 *
 * <p><b>Parts.</b> The post-processor finds methods, {@code AnnotatedEndpoints} makes endpoints of them, the registry owns the
 * containers; a container hands each delivery to a {@code DeliveryHandlerTask}, which calls the {@code HandlerAdapter} while the
 * {@code LeaseExtender} keeps the lease.
 *
 * <p>Neighbours: uses {@code declaration}, {@code template} (conversion) and {@code io.fila.client}.
 */
@NullMarked
package io.fila.listener;

import org.jspecify.annotations.NullMarked;
