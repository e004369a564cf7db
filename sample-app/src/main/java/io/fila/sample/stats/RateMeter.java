package io.fila.sample.stats;

/**
 * The rate of events that come in groups: whole groups after the first, over the time from the end of the first to the end of the
 * last. Counting single events instead would favour whichever instant one happens to look at: 8 at once each second are 16 in the
 * first 1.001 s. Not safe for use by several threads; times never fall.
 */
final class RateMeter {

    private static final int RECENT_GROUPS = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    private final int groupSize;
    /** A ring of the times at which the latest groups were whole. */
    private final long[] recent = new long[RECENT_GROUPS + 1];

    private long firstWhole;
    private long wholeGroups;
    private int inGroup;

    RateMeter(int groupSize) {
        this.groupSize = groupSize;
    }

    void record(long nowNanos) {
        inGroup++;
        if (inGroup < groupSize) {
            return;
        }
        inGroup = 0;
        if (wholeGroups == 0) {
            firstWhole = nowNanos;
        }
        recent[(int) (wholeGroups % recent.length)] = nowNanos;
        wholeGroups++;
    }

    /** Begins anew. */
    void reset() {
        wholeGroups = 0;
        inGroup = 0;
    }

    /** Events per second since the beginning; 0 before the second group is whole. */
    double overall() {
        return wholeGroups < 2 ? 0 : rate(wholeGroups - 1, firstWhole);
    }

    /** Events per second over the latest groups; 0 before the second group is whole. */
    double recent() {
        if (wholeGroups < 2) {
            return 0;
        }
        long groups = Math.min(wholeGroups - 1, RECENT_GROUPS);
        return rate(groups, recent[(int) ((wholeGroups - 1 - groups) % recent.length)]);
    }

    private double rate(long groups, long since) {
        long last = recent[(int) ((wholeGroups - 1) % recent.length)];
        return last == since ? 0 : groups * groupSize * NANOS_PER_SECOND / (last - since);
    }
}
