package io.fila.broker.problem;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A call that its caller got wrong, or that cannot be served now. The message is shown to the caller: it names the field, what
 * was expected, what was given and what to do; never SQL, never a stack trace.
 */
public class ProblemException extends RuntimeException {

    private final ProblemCode code;
    private final @Nullable Duration retryAfter;

    public ProblemException(ProblemCode code, String detail) {
        this(code, detail, null, null);
    }

    /** With the moment from which trying again makes sense, and what caused it (for the log, not for the caller). */
    public ProblemException(ProblemCode code, String detail, @Nullable Duration retryAfter, @Nullable Throwable cause) {
        super(detail, cause);
        this.code = code;
        this.retryAfter = retryAfter;
    }

    /** Something in the request is not as it must be. */
    public static ProblemException invalid(String detail) {
        return new ProblemException(ProblemCode.INVALID_REQUEST, detail);
    }

    public ProblemCode code() {
        return code;
    }

    /** When trying again makes sense; null if only a change helps. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
