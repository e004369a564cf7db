/** What can go wrong with a call, as its caller sees it: a stable code, an HTTP status, a gRPC status and a sentence. */
@NullMarked
package io.fila.broker.problem;

import org.jspecify.annotations.NullMarked;
