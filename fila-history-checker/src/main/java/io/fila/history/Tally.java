package io.fila.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a bucket has counted so far. It keeps running totals, not an entry for each that was counted: permits are granted by up to
 * a billion.
 */
final class Tally {

    /** How much was counted up to each event, and with it: rising. */
    private final List<Long> totals = new ArrayList<>();

    /** By when each event was handed over. */
    private final List<Instant> ends = new ArrayList<>();

    void add(Counted counted) {
        totals.add(total() + counted.count());
        ends.add(counted.to());
    }

    /**
     * When there was room for one more, as far as this limit goes: one window after the event that holds the {@code count}-th before
     * it; {@link Instant#MIN} if there was all the time.
     */
    Instant roomAt(WindowLimit limit) {
        long inFront = total() - limit.count();
        if (inFront < 0) {
            return Instant.MIN;
        }
        // the first event whose total passes what is in front of the count-th
        int at = Collections.binarySearch(totals, inFront + 1);
        return ends.get(at < 0 ? -at - 1 : at).plus(limit.window());
    }

    private long total() {
        return totals.isEmpty() ? 0 : totals.get(totals.size() - 1);
    }
}
