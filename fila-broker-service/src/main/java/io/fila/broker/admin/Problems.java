package io.fila.broker.admin;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

import io.fila.broker.jdbc.DatabaseAway;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.codec.DecodingException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.web.server.MethodNotAllowedException;
import org.springframework.web.server.NotAcceptableStatusException;
import org.springframework.web.server.ResponseStatusException;

/** Which problem an exception is. */
final class Problems {

    private static final Duration SOON = Duration.ofSeconds(1);

    private Problems() {}

    /** The problem; null if nobody expected the exception. */
    static @Nullable ProblemException of(Throwable failure) {
        Throwable e = unwrapped(failure);
        if (e instanceof ProblemException problem) {
            return problem;
        }
        if (e instanceof ResponseStatusException refused) {
            return refused(refused);
        }
        if (e instanceof DataBufferLimitException) {
            return problem(ProblemCode.PAYLOAD_TOO_LARGE, "body: larger than allowed", e);
        }
        if (e instanceof DecodingException) {
            return problem(ProblemCode.INVALID_REQUEST, "body: could not be read", e);
        }
        if (e instanceof RejectedExecutionException) {
            return unavailable("the broker has as many requests as it can work on; try again", e);
        }
        if (DatabaseAway.isCauseOf(e)) {
            return DatabaseAway.problem(e);
        }
        return null;
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable e = failure;
        while ((e instanceof CompletionException || e instanceof ExecutionException) && e.getCause() != null) {
            e = e.getCause();
        }
        return e;
    }

    /** What WebFlux itself refuses. */
    private static @Nullable ProblemException refused(ResponseStatusException e) {
        int status = e.getStatusCode().value();
        if (e instanceof MethodNotAllowedException method) {
            return problem(
                    ProblemCode.METHOD_NOT_ALLOWED,
                    "method: expected one of %s, got %s"
                            .formatted(method.getSupportedMethods(), method.getHttpMethod()),
                    e);
        }
        if (e instanceof NotAcceptableStatusException acceptable) {
            return problem(
                    ProblemCode.NOT_ACCEPTABLE,
                    "Accept: expected one that allows %s".formatted(acceptable.getSupportedMediaTypes()),
                    e);
        }
        if (status == ProblemCode.NOT_FOUND.httpStatus()) {
            return problem(ProblemCode.NOT_FOUND, "path: there is nothing here; see the reference of the API", e);
        }
        return Arrays.stream(ProblemCode.values())
                .filter(code -> code.httpStatus() == status && code != ProblemCode.INTERNAL_ERROR)
                .findFirst()
                .map(code -> problem(code, e.getReason() == null ? code.slug() : e.getReason(), e))
                .orElse(null);
    }

    private static ProblemException unavailable(String detail, Throwable e) {
        return new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, detail, SOON, e);
    }

    private static ProblemException problem(ProblemCode code, String detail, Throwable e) {
        return new ProblemException(code, detail, null, e);
    }
}
