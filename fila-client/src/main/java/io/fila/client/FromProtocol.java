package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import com.google.protobuf.Timestamp;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.PayloadKind;

/** Protocol messages as public types. */
final class FromProtocol {

    private FromProtocol() {}

    static FilaMessage message(String queue, io.fila.protocol.v1.Delivery delivery) {
        return new FilaMessage(
                delivery.getId(),
                queue,
                new Payload(delivery.getPayload().toByteArray(), kind(delivery.getPayloadKind())),
                Map.copyOf(delivery.getHeadersMap()),
                delivery.hasFairnessKey() ? delivery.getFairnessKey() : null,
                Map.copyOf(delivery.getAttributesMap()),
                delivery.getAttempt(),
                delivery.getRedrives(),
                instant(delivery.getEnqueuedAt()));
    }

    /** Refused without a time is not what the protocol says; then asking again at once is as good as anything. */
    static PermitResult permits(AcquirePermitsResponse response) {
        return new PermitResult(response.getGranted() ? null : instant(response.getRoomAt()));
    }

    static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }

    static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    static Payload.Kind kind(PayloadKind kind) {
        return switch (kind) {
            case PAYLOAD_KIND_TEXT -> Payload.Kind.TEXT;
            case PAYLOAD_KIND_JSON -> Payload.Kind.JSON;
            // a kind that this client does not know yet is bytes to it
            case PAYLOAD_KIND_BYTES, UNRECOGNIZED -> Payload.Kind.BYTES;
        };
    }
}
