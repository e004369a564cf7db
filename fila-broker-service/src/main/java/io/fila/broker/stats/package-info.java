/** What is waiting, and for what. */
@NullMarked
package io.fila.broker.stats;

import org.jspecify.annotations.NullMarked;
