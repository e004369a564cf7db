package io.fila.client;

/** How much waits in the memory of this client for its request. Guarded by the lock of {@link MessageSender}. */
final class WaitingSends {

    private final SendLimits limits;
    private long messages;
    private long bytes;

    WaitingSends(SendLimits limits) {
        this.limits = limits;
    }

    /** What is larger than the bound by itself may wait alone: refusing it would refuse it for ever. */
    boolean admits(PendingSend<?> send) {
        return messages == 0
                || (messages + send.messages().size() <= limits.waitingMessages()
                        && bytes + send.bytes() <= limits.waitingBytes());
    }

    void enter(PendingSend<?> send) {
        messages += send.messages().size();
        bytes += send.bytes();
    }

    void leave(PendingSend<?> send) {
        messages -= send.messages().size();
        bytes -= send.bytes();
    }
}
