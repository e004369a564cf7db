package io.fila.listener;

import io.fila.client.FilaMessage;

/** Handles one message at a time on each of a container's threads. */
@FunctionalInterface
public interface FilaMessageHandler {

    void handle(FilaMessage message, Acknowledgement acknowledgement) throws Exception;

    /** This handler, with failures decided by {@code errors}. */
    default FilaMessageHandler withErrorHandler(FilaListenerErrorHandler errors) {
        return (message, acknowledgement) -> {
            try {
                handle(message, acknowledgement);
            } catch (Exception failure) {
                errors.handle(message, failure);
            }
        };
    }
}
