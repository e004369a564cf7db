/** The broker. */
@NullMarked
package io.fila.broker;

import org.jspecify.annotations.NullMarked;
