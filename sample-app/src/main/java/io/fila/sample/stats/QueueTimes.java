package io.fila.sample.stats;

import java.time.Duration;
import java.util.Arrays;

/** How long messages were in the queue: the last, the longest, and the median of the last thousand. Not for several threads. */
public final class QueueTimes {

    private static final int REMEMBERED = 1_000;

    private final long[] millis = new long[REMEMBERED];
    private long count;
    private long longest;

    QueueTimes() {}

    void record(Duration time) {
        long value = Math.max(0, time.toMillis());
        millis[(int) (count % REMEMBERED)] = value;
        count++;
        longest = Math.max(longest, value);
    }

    Snapshot snapshot() {
        if (count == 0) {
            return new Snapshot(0, 0, 0);
        }
        int known = (int) Math.min(count, REMEMBERED);
        long[] sorted = Arrays.copyOf(millis, known);
        Arrays.sort(sorted);
        return new Snapshot(millis[(int) ((count - 1) % REMEMBERED)], sorted[(known - 1) / 2], longest);
    }

    /** Times in milliseconds. */
    public record Snapshot(long last, long p50, long max) {}
}
