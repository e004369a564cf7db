package io.fila.broker.clock;

/**
 * The database's clock may have been set, or is another server's, or the database has crashed: the transaction is to be rolled back and
 * the timeline recovered.
 */
public final class ClockMovedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ClockMovedException() {
        super("the database's clock may have been set", null, false, false);
    }
}
