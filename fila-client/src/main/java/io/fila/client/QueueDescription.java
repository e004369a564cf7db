package io.fila.client;

/**
 * A queue as it is.
 *
 * @param settings all of them: what is null here does not hold for the queue (no bound, no order, no end of keeping)
 * @param paused whether none of its messages is delivered
 */
public record QueueDescription(QueueSpec settings, boolean paused, QueueStats stats) {

    public String name() {
        return settings.name();
    }
}
