package io.fila.listener;

/** Who acknowledges a message. */
public enum AckMode {
    /** The container, when the handler returns; an exception is a nack. */
    AUTO,
    /**
     * The handler, through its {@link Acknowledgement}, on any thread; an exception is still a nack. The message occupies its
     * handler until it is settled. Its lease is extended while the method runs, and not after it has returned.
     */
    MANUAL
}
