package io.fila.broker.clock;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * What this node knows of the database's clock: bounds on how far it is from this node's own, monotonic one. Each exchange gives
 * both: the database read its clock after the question was sent and before the answer was received. What several exchanges say
 * is taken together, and trusted less the older it is, since clocks drift. (The bounds are those of Cristian's algorithm,
 * "Probabilistic clock synchronization", 1989.)
 *
 * <p>Moments of this node are those of {@link System#nanoTime}. Safe for use by several threads.
 */
public final class DatabaseClock {

    /**
     * How far two clocks drift apart at most, in parts of a million: what an adjusted clock is allowed, and some more. A clock that
     * drifts faster is taken for one that was set.
     */
    private static final long DRIFT = 1_000;

    /** A reading is of microseconds, cut off. */
    private static final long RESOLUTION = 1_000;

    /** Written by whoever observes, read by anybody. Null before the first exchange. */
    private volatile @Nullable Bounds bounds;

    /** Whether they were taken over from another process, and not confirmed since. Guarded by this. */
    private boolean inherited;

    /**
     * What is known at some time: the database's clock less this node's, in nanoseconds, is no less than {@code least} and no more
     * than {@code most}. It stays true of the clock it was learned from, also when that was set since.
     *
     * @param knownAt when it was as exact as this; it is less so before and after
     */
    public record Bounds(long least, long most, long knownAt) {

        /** What the database's clock shows at a moment of this node, at the most. */
        public OffsetDateTime atMost(long moment) {
            return Instant.EPOCH
                    .plusNanos(moment + at(moment).most)
                    .truncatedTo(ChronoUnit.MICROS)
                    .plus(1, ChronoUnit.MICROS)
                    .atOffset(ZoneOffset.UTC);
        }

        /** What it shows at least. */
        public OffsetDateTime atLeast(long moment) {
            return Instant.EPOCH
                    .plusNanos(moment + at(moment).least)
                    .truncatedTo(ChronoUnit.MICROS)
                    .atOffset(ZoneOffset.UTC);
        }

        /** The moment of this node from which on the database's clock has surely reached {@code time}. */
        public long surelyAt(OffsetDateTime time) {
            long nanos = nanosOf(time);
            return nanos - at(nanos - least).least;
        }

        /** The same, made more exact by what else is known, unless that is of a clock that was set. */
        public Bounds refinedBy(@Nullable Bounds other) {
            if (other == null) {
                return this;
            }
            Bounds here = at(other.knownAt);
            return here.contradicts(other) ? this : here.and(other);
        }

        Bounds at(long moment) {
            long slack = slack(moment - knownAt);
            return new Bounds(least - slack, most + slack, moment);
        }

        boolean contradicts(Bounds other) {
            return least > other.most || most < other.least;
        }

        Bounds and(Bounds other) {
            return new Bounds(Math.max(least, other.least), Math.min(most, other.most), knownAt);
        }
    }

    /**
     * Takes in an exchange: asked at {@code sent}, answered at {@code received}. False if it contradicts what was known: then one
     * of the clocks was set, or it is another server's, and what was known is left as it was.
     */
    public synchronized boolean observe(long sent, OffsetDateTime reading, long received) {
        Bounds seen = seen(sent, reading, received);
        Bounds known = bounds;
        if (known == null) {
            bounds = seen;
            return true;
        }
        Bounds expected = known.at(received);
        if (expected.contradicts(seen)) {
            return false;
        }
        bounds = expected.and(seen);
        inherited = false;
        return true;
    }

    /**
     * How far the database's clock is from where it is expected: the bounds of the difference, in nanoseconds; null if nothing is
     * known. Takes nothing in.
     */
    synchronized @Nullable Bounds deviation(long sent, OffsetDateTime reading, long received) {
        Bounds known = bounds;
        if (known == null) {
            return null;
        }
        Bounds seen = seen(sent, reading, received);
        Bounds expected = known.at(received);
        return new Bounds(seen.least - expected.most, seen.most - expected.least, received);
    }

    /** The clock may have been read as soon as it was asked, and have drifted until the answer came. */
    private static Bounds seen(long sent, OffsetDateTime reading, long received) {
        long nanos = nanosOf(reading);
        return new Bounds(nanos - received, nanos + RESOLUTION - sent + slack(received - sent), received);
    }

    /** How far the clocks drift apart in that time, at most. */
    private static long slack(long nanos) {
        return Math.abs(nanos) / (1_000_000 / DRIFT);
    }

    /** Forgets what was known. */
    synchronized void forget() {
        bounds = null;
        inherited = false;
    }

    /** Begins with what another process knew, unless something is known already. */
    synchronized void inherit(Bounds known) {
        if (bounds == null) {
            bounds = known;
            inherited = true;
        }
    }

    synchronized boolean isInherited() {
        return inherited;
    }

    /** What is known; null before the first exchange, and between a recovery and the next. */
    public @Nullable Bounds bounds() {
        return bounds;
    }

    private static long nanosOf(OffsetDateTime time) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, time.toInstant());
    }
}
