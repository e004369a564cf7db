/**
 * Who is listening and what they declare. A subscription by stream lasts as long as its connection ({@link
 * io.fila.broker.subscription.Streams}); one by HTTP lives for its ttl after the last call ({@link
 * io.fila.broker.subscription.Subscriptions}). What its consumer declares is in force from the moment it is accepted, on every
 * message of the queue, whoever receives it, until the last that declares it has gone.
 *
 * <p>Accepting and ending hold the queue's fence, so that no claim commits with older throttles (I4); and where messages of others
 * may be under way that were claimed with older ones, the consumer is told that it is accepted when they can no longer be sent. What ends without saying so
 * (a vanished client, a killed node) is ended by the reaper of any node, within seconds; until then its limits stay in force,
 * which is stricter, never looser. A node that others may have taken for dead ends its streams before it delivers again.
 */
@NullMarked
package io.fila.broker.subscription;

import org.jspecify.annotations.NullMarked;
