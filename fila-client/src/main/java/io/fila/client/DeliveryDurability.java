package io.fila.client;

/** What is on disk before a message leaves the broker. */
public enum DeliveryDurability {

    /** Its lease. The default. */
    COMMITTED,

    /**
     * Not necessarily anything: after a crash of the database, messages that were delivered last and are not acknowledged may be
     * delivered again with the attempt uncounted, and the queue's throttles pause for their longest window. No message is lost.
     */
    FAST
}
