package io.fila.broker.message;

import java.util.UUID;

import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * Is told, after the commit, what has become deliverable. A lost signal delays a message until the next sweep; it
 * never loses one. Calls return at once.
 */
public interface ReadySignals {

    /**
     * Messages of a lane are ready.
     *
     * @param first the lowest sequence among them
     * @param count how many
     * @param sample one of them, if at hand: saves reading one
     */
    void ready(long queueId, UUID lane, long first, int count, @Nullable Sample sample);

    /** What the scheduler wants to know of a message of a lane. */
    record Sample(Keyed keyed, int weight) {}
}
