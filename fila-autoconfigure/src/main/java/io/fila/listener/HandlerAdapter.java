package io.fila.listener;

import io.fila.client.FilaMessage;
import io.fila.client.Payload;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.messaging.support.MessageBuilder;

/** Calls a listener method with a message. */
final class HandlerAdapter implements FilaMessageHandler {

    private final InvocableHandlerMethod method;

    HandlerAdapter(InvocableHandlerMethod method) {
        this.method = method;
    }

    @Override
    public void handle(FilaMessage message, Acknowledgement acknowledgement) throws Exception {
        Message<Payload> incoming =
                MessageBuilder.createMessage(message.payload(), new ReceivedHeaders(message, acknowledgement));
        method.invoke(incoming);
    }
}
