package io.fila.listener;

/**
 * Who occupies a container's handlers: messages it holds, and deliveries it has asked for. The two together never exceed the number
 * of handlers. Not safe for use by several threads: guarded by the {@link Lifecycle}'s lock.
 */
final class HandlerSlots {

    private final int handlers;
    private int held;
    private int credit;

    HandlerSlots(int handlers) {
        this.handlers = handlers;
    }

    /** Turns every free handler into credit; returns for how many deliveries to ask. */
    int claimFree() {
        int free = Math.max(0, handlers - held - credit);
        credit += free;
        return free;
    }

    void arrived() {
        held++;
        credit = Math.max(0, credit - 1);
    }

    void settled() {
        held--;
    }

    /** No delivery can arrive any more. */
    void creditGone() {
        credit = 0;
    }

    boolean hasCredit() {
        return credit > 0;
    }

    int held() {
        return held;
    }
}
