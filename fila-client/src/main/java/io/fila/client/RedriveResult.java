package io.fila.client;

/** How many dead letters went back to their queue, and how many stayed. */
public record RedriveResult(long moved, Kept kept) {

    /**
     * Those that stayed, by why.
     *
     * @param unclassified their script failed
     * @param rejected ready, but the queue cannot take them: it holds a message of the same id again, or they lack its ordering key
     * @param leased with a consumer of the dead letter queue
     * @param delayed they wait there for a moment: a consumer's attempt failed, or they were sent there with a delay
     * @param ready beyond the count; or somebody else was at work on them, or they came meanwhile
     */
    public record Kept(long unclassified, long rejected, long leased, long delayed, long ready) {}
}
