package io.fila.client;

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
     * The broker's problem code ({@code queue-not-found}, {@code limit-never-binds}, ...), or {@code broker-unreachable},
     * {@code timed-out} or {@code client-closed} where no answer came.
     */
    public String code() {
        return code;
    }

    /** Whether the same call may succeed later without a change. */
    public boolean isRetryable() {
        return retryable;
    }
}
