package io.fila.broker.message;

/**
 * What a redrive did.
 *
 * @param moved how many messages went back to their queue
 * @param kept what the dead letter queue holds afterwards: all of it
 */
public record Redriven(long moved, Kept kept) {

    /**
     * Why messages are still in the dead letter queue, as it was at one moment. Each is in one of them.
     *
     * @param unclassified their script failed
     * @param rejected ready, but the queue cannot take them: it holds a message of the same id again, or they lack its ordering key
     * @param leased with a consumer of the dead letter queue
     * @param delayed an attempt of such a consumer failed, and they wait for the next
     * @param ready beyond the count; or somebody else was at work on them, or they came meanwhile
     */
    public record Kept(long unclassified, long rejected, long leased, long delayed, long ready) {}
}
