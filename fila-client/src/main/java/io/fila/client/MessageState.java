package io.fila.client;

/** What a message is. */
public enum MessageState {
    READY,
    /** A not-before time, or a back-off, lies ahead. */
    DELAYED,
    /** The queue's script failed, and the message is parked. */
    UNCLASSIFIED,
    /** With a consumer. */
    LEASED,
    /** A bucket without room holds it. In lists such messages are {@link #READY}. */
    THROTTLED,
    /** One that this client does not know. */
    UNKNOWN
}
