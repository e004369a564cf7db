package io.fila.client;

/** What a keyed throttle does with a message that lacks the key. */
public enum MissingKey {
    /** All such messages share one bucket. The default, and the safe choice. */
    SHARED_BUCKET,
    /** The throttle does not apply to such messages. */
    UNTHROTTLED
}
