/** What consumers declare: limits, keys, missing-key policies, and what they come to together. */
@NullMarked
package io.fila.broker.throttle;

import org.jspecify.annotations.NullMarked;
