/** Queues and their settings. */
@NullMarked
package io.fila.broker.queue;

import org.jspecify.annotations.NullMarked;
