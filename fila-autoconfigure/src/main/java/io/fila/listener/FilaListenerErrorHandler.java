package io.fila.listener;

import io.fila.client.FilaMessage;

/** Decides what a handler's failure means. Called on the handler's thread, for several messages at a time. */
@FunctionalInterface
public interface FilaListenerErrorHandler {

    /** Returns if the failure is dealt with, so that the message counts as handled; throws what is to be its failure otherwise. */
    void handle(FilaMessage message, Exception failure) throws Exception;
}
