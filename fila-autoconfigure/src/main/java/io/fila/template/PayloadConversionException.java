package io.fila.template;

import org.jspecify.annotations.Nullable;

/** An object cannot become the body of a message, or the other way round. */
public class PayloadConversionException extends RuntimeException {

    public PayloadConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
