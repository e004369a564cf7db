package io.fila.listener;

import java.util.HashMap;
import java.util.Map;

import io.fila.client.FilaMessage;
import org.springframework.messaging.MessageHeaders;

/**
 * The headers of a received message: its own, under their own names, and those of {@link FilaHeaders}. Spring's generated id and
 * timestamp are left out, for they would hide headers of the message that bear these names.
 */
final class ReceivedHeaders extends MessageHeaders {

    private static final long serialVersionUID = 1;

    ReceivedHeaders(FilaMessage message, Acknowledgement acknowledgement) {
        super(fila(message, acknowledgement), ID_VALUE_NONE, -1L);
        getRawHeaders().putAll(message.headers());
    }

    private static Map<String, Object> fila(FilaMessage message, Acknowledgement acknowledgement) {
        Map<String, Object> headers = new HashMap<>();
        headers.put(FilaHeaders.MESSAGE_ID, message.id());
        headers.put(FilaHeaders.QUEUE, message.queue());
        headers.put(FilaHeaders.ATTEMPT, message.attempt());
        headers.put(FilaHeaders.REDRIVES, message.redrives());
        headers.put(FilaHeaders.ENQUEUED_AT, message.enqueuedAt());
        headers.put(FilaHeaders.MESSAGE, message);
        headers.put(FilaHeaders.ACKNOWLEDGEMENT, acknowledgement);
        if (message.fairnessKey() != null) {
            headers.put(FilaHeaders.FAIRNESS_KEY, message.fairnessKey());
        }
        return headers;
    }
}
