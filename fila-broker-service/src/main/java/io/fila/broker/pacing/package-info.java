/** Which message goes when. */
@NullMarked
package io.fila.broker.pacing;

import org.jspecify.annotations.NullMarked;
