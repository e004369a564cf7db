package io.fila.broker.pacing;

import java.util.List;

import io.fila.broker.message.Delivery;
import io.fila.broker.problem.ProblemException;

/** Where messages go: one consumer's connection. Called by one thread at a time; calls return at once. */
public interface DeliverySink {

    /** How many deliveries it is ready for now. */
    int credit();

    /**
     * Hands messages to the connection and takes as much off the credit. False if the consumer is gone, or no longer ready: then
     * none of them has left the broker.
     */
    boolean deliver(List<Delivery> deliveries);

    /** All that can be delivered now has been: what comes next has to become ready first. */
    default void nothingNow() {}

    /** There will be no more deliveries, for this reason. */
    void end(ProblemException reason);
}
