package io.fila.broker.grpc;

import java.time.Instant;
import java.util.Collection;
import java.util.List;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import com.google.protobuf.UnsafeByteOperations;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Payload;
import io.fila.protocol.v1.MissingKey;
import io.fila.protocol.v1.PayloadKind;

/** Writes what goes over gRPC. */
final class ToProtocol {

    private ToProtocol() {}

    static io.fila.protocol.v1.Delivery delivery(Delivery delivery) {
        var builder = io.fila.protocol.v1.Delivery.newBuilder()
                .setLease(delivery.lease().toString())
                .setLeaseExpiresAt(timestamp(delivery.leaseExpiresAt()))
                .setVisibilityTimeout(duration(delivery.visibilityTimeout()))
                .setId(delivery.id().toString())
                // nobody changes a payload once it is read
                .setPayload(UnsafeByteOperations.unsafeWrap(delivery.payload().bytes()))
                .setPayloadKind(kind(delivery.payload().kind()))
                .putAllHeaders(delivery.headers())
                .putAllAttributes(delivery.attributes())
                .setAttempt(delivery.attempt())
                .setRedrives(delivery.redrives())
                .setEnqueuedAt(timestamp(delivery.enqueuedAt()));
        String fairnessKey = delivery.fairnessKey();
        if (fairnessKey != null) {
            builder.setFairnessKey(fairnessKey);
        }
        return builder.build();
    }

    static Duration duration(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }

    static PayloadKind kind(Payload.Kind kind) {
        return switch (kind) {
            case BYTES -> PayloadKind.PAYLOAD_KIND_BYTES;
            case TEXT -> PayloadKind.PAYLOAD_KIND_TEXT;
            case JSON -> PayloadKind.PAYLOAD_KIND_JSON;
        };
    }

    static MissingKey missingKey(io.fila.broker.throttle.MissingKey policy) {
        return switch (policy) {
            case SHARED_BUCKET -> MissingKey.MISSING_KEY_SHARED_BUCKET;
            case UNTHROTTLED -> MissingKey.MISSING_KEY_UNTHROTTLED;
        };
    }

    /** Values as callers write them. */
    static List<String> texts(Collection<?> values) {
        return values.stream().map(Object::toString).toList();
    }

    static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
