@NullMarked
package io.fila.broker.script;

import org.jspecify.annotations.NullMarked;
