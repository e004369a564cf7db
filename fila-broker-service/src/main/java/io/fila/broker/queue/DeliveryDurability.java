package io.fila.broker.queue;

import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemException;

/** What is on disk before a message leaves. */
public enum DeliveryDurability {

    /** Its lease: a crash of the database forgets no delivery. */
    COMMITTED("committed"),

    /**
     * Not necessarily anything: a crash of the database may forget the latest deliveries, so that messages which are not acknowledged
     * yet are delivered again with the attempt uncounted, and pauses the queue's throttles for their longest window. No message is
     * lost, and an acknowledged one does not return.
     */
    FAST("fast");

    private final String text;

    DeliveryDurability(String text) {
        this.text = text;
    }

    /** Reads what {@link #toString} writes, or throws {@code invalid-request}. */
    public static DeliveryDurability parse(String field, String text) {
        for (DeliveryDurability durability : values()) {
            if (durability.text.equals(text)) {
                return durability;
            }
        }
        throw ProblemException.invalid("%s: expected committed or fast, got '%s'".formatted(field, Names.shown(text)));
    }

    @Override
    public String toString() {
        return text;
    }
}
