/**
 * Permits from outside: {@link io.fila.throttle.FilaThrottles} lets code that is no listener keep to the limits that listeners
 * declare.
 *
 * <p><b>Promise.</b> Permits and deliveries of one bucket together never exceed a limit in any window, as of the moments at
 * which the broker hands them over. What is called with a permit some time later is the application's.
 *
 * <p>Neighbours: uses {@code io.fila.client} only.
 */
@NullMarked
package io.fila.throttle;

import org.jspecify.annotations.NullMarked;
