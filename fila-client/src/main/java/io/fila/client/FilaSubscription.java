package io.fila.client;

import java.util.concurrent.CompletableFuture;

/** A live subscription. Safe for use by several threads. */
public interface FilaSubscription extends AutoCloseable {

    /** States of {@link #state()}. */
    enum State {
        /** Not connected yet, or connection lost; trying again with backoff. */
        CONNECTING,
        /** The broker has accepted the subscription; its throttles are in force. */
        ACTIVE,
        /** Closed by us or refused by the broker; final. */
        CLOSED
    }

    State state();

    /**
     * Asks for {@code deliveries} more (not negative); never more than asked for arrive. Credit that was not used up is
     * asked for again after a reconnect. Has no effect after {@link #close}.
     */
    void request(int deliveries);

    /**
     * Takes back all unused credit and completes once no further delivery can arrive (at once if the connection is lost).
     * Deliveries that are under way are still handed over. They may be settled afterwards; {@link #request} starts
     * receiving again.
     */
    CompletableFuture<Void> drain();

    /**
     * Ends the subscription; settlements already handed over are flushed first, for three seconds at most, and what arrives
     * meanwhile is released. Does not wait when the listener calls it.
     */
    @Override
    void close();
}
