package io.fila.listener;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler: the message can never be handled; the remaining attempts are skipped. */
public class DeadLetterException extends RuntimeException {

    public DeadLetterException(String message) {
        this(message, null);
    }

    public DeadLetterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
