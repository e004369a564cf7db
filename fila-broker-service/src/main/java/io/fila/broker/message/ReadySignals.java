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
     * @param sample the latest of them, as far as it is at hand: saves reading it
     */
    void ready(long queueId, UUID lane, long first, int count, @Nullable Sample sample);

    /** Messages of the queue may have become deliverable, more than can be named. */
    void lookThrough(long queueId);

    /**
     * What the scheduler wants to know of a message of a lane.
     *
     * @param keyed null: not at hand
     */
    record Sample(@Nullable Keyed keyed, Weight weight) {}
}
