package io.fila.listener;

/** Names under which a message's properties can be had with {@code @Header}, beside the headers it was sent with. */
public final class FilaHeaders {

    public static final String MESSAGE_ID = "fila_messageId";
    public static final String QUEUE = "fila_queue";
    /** Absent: the unkeyed group. */
    public static final String FAIRNESS_KEY = "fila_fairnessKey";
    /** Which delivery this is, from 1. */
    public static final String ATTEMPT = "fila_attempt";

    public static final String REDRIVES = "fila_redrives";
    /** An {@link java.time.Instant}. */
    public static final String ENQUEUED_AT = "fila_enqueuedAt";
    /** The whole {@link io.fila.client.FilaMessage}. */
    public static final String MESSAGE = "fila_message";
    /** The {@link Acknowledgement}. */
    public static final String ACKNOWLEDGEMENT = "fila_acknowledgement";

    private FilaHeaders() {}
}
