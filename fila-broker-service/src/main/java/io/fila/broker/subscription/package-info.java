/** Who is listening and what they declare. */
@NullMarked
package io.fila.broker.subscription;

import org.jspecify.annotations.NullMarked;
