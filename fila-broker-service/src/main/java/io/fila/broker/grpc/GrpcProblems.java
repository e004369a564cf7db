package io.fila.broker.grpc;

import java.util.Arrays;
import java.util.concurrent.CompletionException;

import io.fila.broker.jdbc.DatabaseAway;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.protocol.v1.Problem;
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
        ProblemException problem = problem(failure);
        Metadata trailers = new Metadata();
        trailers.put(CODE, problem.code().slug());
        return problem.code()
                .grpcStatus()
                .toStatus()
                .withDescription(problem.getMessage())
                .asRuntimeException(trailers);
    }

    /** Whether the same may succeed the next time. */
    static boolean isTransient(Problem problem) {
        return Arrays.stream(ProblemCode.values())
                .anyMatch(code -> code.isTransient() && code.slug().equals(problem.getCode()));
    }

    /** The same as a part of an answer. */
    static Problem answer(Throwable failure) {
        ProblemException problem = problem(failure);
        Problem.Builder answer = Problem.newBuilder()
                .setCode(problem.code().slug())
                .setDescription(String.valueOf(problem.getMessage()));
        if (problem.retryAfter() != null) {
            answer.setRetryAfter(ToProtocol.duration(problem.retryAfter()));
        }
        return answer.build();
    }

    private static ProblemException problem(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ProblemException problem) {
            return problem;
        }
        if (DatabaseAway.isCauseOf(cause)) {
            return DatabaseAway.problem(cause);
        }
        log.error("a gRPC call failed", cause);
        return new ProblemException(ProblemCode.INTERNAL_ERROR, "the broker could not do this; its log says why");
    }
}
