package io.fila.client;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** A call to the broker failed. {@link #code()} is stable; the message says what was expected and what was given. */
public class FilaException extends RuntimeException {

    private final String code;
    private final boolean retryable;

    public FilaException(String code, String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.retryable = retryable;
    }

    /**
     * The broker's problem code ({@code queue-not-found}, {@code limit-never-binds}, ...), or one of the client's own:
     *
     * <ul>
     *   <li>{@code broker-unreachable}: no connection, or it broke before the answer (retryable)
     *   <li>{@code timed-out}: no answer within the request timeout (retryable)
     *   <li>{@code client-overloaded}: too much waits to be sent already, so nothing was sent (retryable)
     *   <li>{@code interrupted}: the calling thread was interrupted (retryable)
     *   <li>{@code client-closed}: the client or the subscription was closed before
     *   <li>{@code broker-error}: an answer that the protocol does not know
     * </ul>
     */
    public String code() {
        return code;
    }

    /** Whether the same call may succeed later without a change. */
    public boolean isRetryable() {
        return retryable;
    }

    /** What was expected and what was given; never null. */
    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }
}
