package io.fila.broker.admin;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fila.broker.message.MessageView;
import io.fila.broker.message.MessageView.Failure;
import org.jspecify.annotations.Nullable;

/** A message as it is shown to an administrator. */
record MessageAnswer(
        UUID id,
        String queue,
        String state,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object payload,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String payloadBase64,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        Map<String, String> attributes,
        int attempts,
        int redrives,
        Instant enqueuedAt,
        @Nullable Instant notBefore,
        @Nullable Instant leaseExpiresAt,
        @Nullable Instant deadLetteredAt,
        List<Failure> failures)
        implements Answer {

    static MessageAnswer of(MessageView message) {
        PayloadAnswer payload = PayloadAnswer.of(message.payload());
        return new MessageAnswer(
                message.id(),
                message.queue().value(),
                message.state().toString(),
                payload.payload(),
                payload.base64(),
                message.headers(),
                message.fairnessKey(),
                message.weight(),
                message.attributes(),
                message.attempts(),
                message.redrives(),
                message.enqueuedAt(),
                message.notBefore(),
                message.leaseExpiresAt(),
                message.deadLetteredAt(),
                message.failures());
    }
}
