package io.fila.broker.admin;

import java.util.Base64;

import io.fila.broker.message.Payload;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/**
 * A payload as it is shown: exactly one of the two is there.
 *
 * @param payload a string for text, the JSON as it was written for JSON
 * @param base64 bytes, and whatever claims to be text or JSON and is not (producers that speak gRPC are believed)
 */
record PayloadAnswer(@Nullable Object payload, @Nullable String base64) {

    static PayloadAnswer of(Payload payload) {
        @Nullable Object value = switch (payload.kind()) {
            case BYTES -> null;
            case TEXT -> Json.utf8(payload.bytes());
            case JSON -> raw(Json.valid(payload.bytes()));
        };
        return new PayloadAnswer(
                value, value != null ? null : Base64.getEncoder().encodeToString(payload.bytes()));
    }

    private static @Nullable RawValue raw(@Nullable String json) {
        return json == null ? null : new RawValue(json);
    }
}
