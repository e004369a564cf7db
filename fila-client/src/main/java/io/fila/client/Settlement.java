package io.fila.client;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.fila.protocol.v1.SubscribeRequest;

/**
 * One ack, nack, extension or release on its way to the broker.
 *
 * @param verb for messages to people
 * @param frame writes it into a frame
 * @param answer completes when the broker has answered for its frame
 */
record Settlement(
        String verb, String lease, Consumer<SubscribeRequest.Builder> frame, CompletableFuture<Boolean> answer) {

    static Settlement of(String verb, String lease, Consumer<SubscribeRequest.Builder> frame) {
        return new Settlement(verb, lease, frame, new CompletableFuture<>());
    }
}
