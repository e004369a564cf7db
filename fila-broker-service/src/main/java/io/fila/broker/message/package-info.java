/** Messages: enqueue, leases and what settles them. */
@NullMarked
package io.fila.broker.message;

import org.jspecify.annotations.NullMarked;
