package io.fila.broker.queue;

/** Is told when a queue has been paused, resumed, changed or deleted, on the node that did it, after the commit. */
public interface QueueChanges {

    void changed(long queueId);

    /** What is run for its messages has changed, too. */
    default void scriptsChanged(long queueId) {}
}
