package io.fila.broker.queue;

/** Is told when a queue has been paused, resumed, changed or deleted, after the commit. */
public interface QueueChanges {

    void changed(long queueId);
}
