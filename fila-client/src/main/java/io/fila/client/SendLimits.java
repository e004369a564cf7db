package io.fila.client;

/**
 * What bounds the memory and the calls of sending.
 *
 * @param messagesPerRequest how many single sends are merged into one request
 * @param bytesPerRequest the same in bytes; one message or one {@code sendAll} may be larger
 * @param calls how many requests of one client are under way at once
 * @param waitingMessages how many messages may wait for their request; the first always may
 * @param waitingBytes the same in bytes
 */
record SendLimits(int messagesPerRequest, long bytesPerRequest, int calls, int waitingMessages, long waitingBytes) {

    static final SendLimits DEFAULT = new SendLimits(10_000, 8L << 20, 8, 10_000, 64L << 20);
}
