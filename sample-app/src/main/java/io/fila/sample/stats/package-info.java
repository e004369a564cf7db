/**
 * The sample's figures: what was sent, delivered, accepted and dropped, how many in any second, at what rate, after what time in
 * the queue. All of it is counted as it happens, in space that does not grow with the number of messages.
 */
@NullMarked
package io.fila.sample.stats;

import org.jspecify.annotations.NullMarked;
