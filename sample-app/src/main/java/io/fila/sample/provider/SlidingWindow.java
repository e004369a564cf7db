package io.fila.sample.provider;

import java.time.Duration;

/**
 * Admits at most a number of events in any window of a length. The window is half-open: as many again are admitted exactly one
 * window later. What is not admitted does not count. Not safe for use by several threads; times never fall.
 */
final class SlidingWindow {

    private final long windowNanos;
    /** The times of the last admitted events, as many as are admitted at most; the oldest is at {@code next}. */
    private final long[] admitted;

    private int next;
    private long count;

    SlidingWindow(int limit, Duration window) {
        this.admitted = new long[limit];
        this.windowNanos = window.toNanos();
    }

    boolean admit(long nowNanos) {
        if (count >= admitted.length && nowNanos - admitted[next] < windowNanos) {
            return false;
        }
        admitted[next] = nowNanos;
        next = (next + 1) % admitted.length;
        count++;
        return true;
    }
}
