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
 * @param refusable the broker may refuse the frame because of it, and what else is in the frame
 */
record Settlement(
        String verb,
        String lease,
        Consumer<SubscribeRequest.Builder> frame,
        CompletableFuture<Boolean> answer,
        boolean refusable) {

    static Settlement of(String verb, String lease, Consumer<SubscribeRequest.Builder> frame) {
        return new Settlement(verb, lease, frame, new CompletableFuture<>(), false);
    }

    Settlement inFrameOfItsOwn() {
        return new Settlement(verb, lease, frame, answer, true);
    }
}
