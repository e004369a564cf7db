/**
 * Sending: {@link io.fila.template.FilaTemplate} turns objects into messages and hands them to the client.
 *
 * <p><b>Promise.</b> A send that returns has been stored durably. One that fails with a retryable exception may have been stored:
 * give the message an id in {@link io.fila.template.SendOptions} so that it is not stored again while the
 * first is still in the queue.
 *
 * <p><b>Conversion</b> is one replaceable bean, {@link io.fila.template.PayloadConverter}, used for sending here and for receiving
 * in {@code io.fila.listener}. An object that cannot be converted fails before anything is sent.
 *
 * <p>Neighbours: uses {@code io.fila.client} only.
 */
@NullMarked
package io.fila.template;

import org.jspecify.annotations.NullMarked;
