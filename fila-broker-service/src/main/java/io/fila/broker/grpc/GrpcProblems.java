package io.fila.broker.grpc;

import java.util.concurrent.CompletionException;

import io.fila.broker.jdbc.DatabaseAway;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Problems as gRPC statuses. */
final class GrpcProblems {

    private static final Logger log = LoggerFactory.getLogger(GrpcProblems.class);
    private static final Metadata.Key<String> CODE = Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER);

    private GrpcProblems() {}

    /** What the caller is told; what nobody foresaw is logged, and the caller is told so without its insides. */
    static StatusRuntimeException of(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ProblemException problem) {
            return of(problem.code(), String.valueOf(problem.getMessage()));
        }
        if (DatabaseAway.isCauseOf(cause)) {
            ProblemException problem = DatabaseAway.problem(cause);
            return of(problem.code(), String.valueOf(problem.getMessage()));
        }
        log.error("a gRPC call failed", cause);
        return of(ProblemCode.INTERNAL_ERROR, "the broker could not do this; its log says why");
    }

    private static StatusRuntimeException of(ProblemCode code, String detail) {
        Metadata trailers = new Metadata();
        trailers.put(CODE, code.slug());
        return code.grpcStatus().toStatus().withDescription(detail).asRuntimeException(trailers);
    }
}
