package io.fila.broker.message;

/**
 * The body of a message. The array is not copied.
 *
 * @param bytes UTF-8 for text and JSON; JSON as the producer wrote it, so that numbers of any size survive
 */
public record Payload(byte[] bytes, Kind kind) {

    /** What the bytes are. The order is that of the stored codes. */
    public enum Kind {
        BYTES,
        TEXT,
        JSON
    }
}
