package io.fila.sample.stats;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** How many events there were in each of the last sixty seconds. Not safe for use by several threads; times never fall. */
final class SecondsHistory {

    static final int SECONDS = 60;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final long startNanos;
    private final int[] counts = new int[SECONDS];
    private long newest;

    SecondsHistory(long startNanos) {
        this.startNanos = startNanos;
    }

    void record(long nowNanos) {
        counts[slot(advance(nowNanos))]++;
    }

    /** The counts, the current second last. */
    List<Integer> snapshot(long nowNanos) {
        long current = advance(nowNanos);
        return IntStream.rangeClosed(1, SECONDS)
                .mapToObj(i -> counts[slot(current + i)])
                .toList();
    }

    private long advance(long nowNanos) {
        long second = (nowNanos - startNanos) / NANOS_PER_SECOND;
        if (second - newest >= SECONDS) {
            Arrays.fill(counts, 0);
        } else {
            for (long passed = newest + 1; passed <= second; passed++) {
                counts[slot(passed)] = 0;
            }
        }
        newest = second;
        return second;
    }

    private static int slot(long second) {
        return (int) (second % SECONDS);
    }
}
