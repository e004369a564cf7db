package io.fila.broker.admin;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fila.broker.message.Delivery;
import org.jspecify.annotations.Nullable;

/** A leased message on its way to a consumer. */
record DeliveryAnswer(String lease, Instant leaseExpiresAt, DeliveredMessage message) implements Answer {

    record DeliveredMessage(
            UUID id,
            String queue,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Object payload,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String payloadBase64,

            Map<String, String> headers,
            @Nullable String fairnessKey,
            Map<String, String> attributes,
            int attempt,
            int redrives,
            Instant enqueuedAt) {}

    static DeliveryAnswer of(Delivery delivery) {
        PayloadAnswer payload = PayloadAnswer.of(delivery.payload());
        return new DeliveryAnswer(
                delivery.lease().toString(),
                delivery.leaseExpiresAt(),
                new DeliveredMessage(
                        delivery.id(),
                        delivery.queue().value(),
                        payload.payload(),
                        payload.base64(),
                        delivery.headers(),
                        delivery.fairnessKey(),
                        delivery.attributes(),
                        delivery.attempt(),
                        delivery.redrives(),
                        delivery.enqueuedAt()));
    }
}
