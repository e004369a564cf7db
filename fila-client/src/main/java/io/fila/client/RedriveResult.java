package io.fila.client;

/** How many dead letters went back to their queue, and how many stayed. */
public record RedriveResult(long moved, Kept kept) {

    /**
     * Those that stayed, by why.
     *
     * @param rejected the queue's script or its rules refused them
     * @param delayed their not-before time lies ahead
     * @param ready beyond the count that was asked for
     */
    public record Kept(long unclassified, long rejected, long leased, long delayed, long ready) {}
}
