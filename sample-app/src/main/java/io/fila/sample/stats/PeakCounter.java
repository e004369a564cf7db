package io.fila.sample.stats;

import java.time.Duration;
import java.util.Arrays;

/**
 * The most events in any half-open window of a length so far. Keeps only the times within the latest window. Not safe for use by
 * several threads; times never fall.
 */
public final class PeakCounter {

    private final long windowNanos;
    /** A ring of times; the oldest is at {@code oldest}. */
    private long[] times = new long[64];

    private int oldest;
    private int count;
    private int most;

    public PeakCounter(Duration window) {
        this.windowNanos = window.toNanos();
    }

    public void record(long nowNanos) {
        while (count > 0 && nowNanos - times[oldest] >= windowNanos) {
            oldest = (oldest + 1) % times.length;
            count--;
        }
        if (count == times.length) {
            grow();
        }
        times[(oldest + count) % times.length] = nowNanos;
        count++;
        most = Math.max(most, count);
    }

    public int most() {
        return most;
    }

    private void grow() {
        long[] larger = Arrays.copyOf(times, times.length * 2);
        for (int i = 0; i < count; i++) {
            larger[i] = times[(oldest + i) % times.length];
        }
        times = larger;
        oldest = 0;
    }
}
