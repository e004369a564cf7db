package io.fila.client;

import java.nio.charset.StandardCharsets;

/**
 * The body of a message. The array is not copied; do not change it afterwards.
 *
 * @param bytes the content; UTF-8 for text and JSON
 * @param kind what the bytes are, so that other clients can show them
 */
public record Payload(byte[] bytes, Kind kind) {

    /** What the bytes of a payload are. */
    public enum Kind {
        BYTES,
        TEXT,
        JSON
    }

    public static Payload bytes(byte[] bytes) {
        return new Payload(bytes, Kind.BYTES);
    }

    public static Payload text(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), Kind.TEXT);
    }

    /** One JSON value. */
    public static Payload json(String json) {
        return new Payload(json.getBytes(StandardCharsets.UTF_8), Kind.JSON);
    }

    /** The content decoded as UTF-8. */
    public String asText() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
