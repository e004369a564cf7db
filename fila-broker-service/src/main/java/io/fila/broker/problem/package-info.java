/**
 * What can go wrong with a call, as its caller sees it: a stable code, an HTTP status, a gRPC status and a sentence. Beside it what
 * every package checks alike: names, durations, and sizes in the configuration.
 */
@NullMarked
package io.fila.broker.problem;

import org.jspecify.annotations.NullMarked;
