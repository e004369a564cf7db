/**
 * The gRPC data plane and administration. Frames carry batches; a stream's credit is what bounds what is on its way, so nothing is
 * buffered beyond it. What blocks on the database runs on bounded pools ({@link io.fila.broker.grpc.BlockingCalls}). The rules are those
 * of the features' packages, and the same over REST; here only the form is read. Errors are statuses whose trailer {@code fila-code} is the stable code of {@link io.fila.broker.problem.ProblemCode}; bad
 * input ends the call or the stream it came by, and is not logged.
 */
@NullMarked
package io.fila.broker.grpc;

import org.jspecify.annotations.NullMarked;
