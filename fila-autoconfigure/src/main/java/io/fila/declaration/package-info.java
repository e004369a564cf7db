/**
 * What an application declares before it receives anything: the throttles of its listeners and the queues it owns.
 *
 * <p><b>Promise.</b> A declaration that cannot work stops the application at start, with the place, the reason and the remedy
 * ({@link io.fila.declaration.InvalidDeclarationException}); nothing wrong reaches the broker first. The rules are those of the
 * broker, checked here only to answer sooner.
 *
 * <p><b>Throttles</b> come from {@link io.fila.declaration.Throttle} on the listener method, complete in place, or by name from
 * {@code fila.throttles.*}. {@link io.fila.declaration.ThrottleResolver} turns either into what the client sends.
 *
 * <p><b>Queues</b> are declared by {@link io.fila.declaration.QueueDeclarer} once at start, before the listeners subscribe. Declaring
 * is idempotent. If the broker is away the application starts all the same; declaring goes on in the background and the listeners
 * wait for it. A queue whose settings the broker refuses is reported and left as it is.
 *
 * <p>Neighbours: uses {@code io.fila.client} only; {@code io.fila.listener} and {@code io.fila.autoconfigure} use it.
 */
@NullMarked
package io.fila.declaration;

import org.jspecify.annotations.NullMarked;
