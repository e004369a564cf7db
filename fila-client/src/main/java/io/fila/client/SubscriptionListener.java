package io.fila.client;

/** Receives what happens to a subscription. Called by one thread at a time; it must not block. */
public interface SubscriptionListener {

    /** A message arrived; one unit of credit is used up. */
    void onDelivery(Delivery delivery);

    /** The broker accepted the subscription: its throttles are in force. Again after each reconnect. */
    default void onAccepted() {}

    /** The connection was lost, or could not be made; the client tries again by itself. */
    default void onInterrupted(FilaException cause) {}

    /** The broker refuses the subscription (a conflict, an unknown queue, ...); it is closed and not tried again. */
    default void onRefused(FilaException cause) {}
}
