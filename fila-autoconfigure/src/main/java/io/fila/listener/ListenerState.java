package io.fila.listener;

/** The life of a container: {@code STOPPED → RUNNING ⇄ PAUSED → DRAINING → STOPPED}. */
public enum ListenerState {
    /** Not subscribed; its throttles are not in force. */
    STOPPED,
    /** Subscribed, or trying to be, and asking for deliveries. */
    RUNNING,
    /** Subscribed, its throttles in force, but asking for nothing; running handlers go on. */
    PAUSED,
    /** On its way to stopped: waits for running handlers, gives back what arrives. */
    DRAINING
}
