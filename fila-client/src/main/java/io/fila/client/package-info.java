/** The plain Java client. */
@NullMarked
package io.fila.client;

import org.jspecify.annotations.NullMarked;
