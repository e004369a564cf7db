package io.fila.client;

/**
 * How many buckets of a throttle are to be shown: those that hold most, then others in use.
 *
 * @param count 0 to 1,000
 */
public record TopBuckets(int count) {

    public TopBuckets {
        if (count < 0 || count > 1_000) {
            throw new IllegalArgumentException("count must be 0 to 1000, but was " + count);
        }
    }

    public static TopBuckets of(int count) {
        return new TopBuckets(count);
    }
}
