/**
 * Spring Boot's entry: adding {@code fila-spring-boot-starter} is enough.
 *
 * <p>There is a client unless the application has one, and on it a {@link io.fila.client.FilaAdmin}, a {@link
 * io.fila.template.FilaTemplate}, {@link io.fila.throttle.FilaThrottles}, the listener infrastructure, and the declaration of queues. Every bean backs off before one
 * of the application's own. Configuration is bound to records that refuse what cannot work while the application starts.
 *
 * <p>Neighbours: uses every other package of this module; nothing uses it.
 */
@NullMarked
package io.fila.autoconfigure;

import org.jspecify.annotations.NullMarked;
