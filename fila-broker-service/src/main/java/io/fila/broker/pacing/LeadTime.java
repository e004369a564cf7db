package io.fila.broker.pacing;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long before a bucket has room the claims for it are to begin, so that they are committed by then. It goes by how long claims take:
 * it follows at once when they take longer, and slowly when they take less. Only ever touched by its loop.
 */
final class LeadTime {

    /** Besides what claims take: a disk or a scheduler that is late for once costs nothing then, and neither does being early. */
    private static final long MARGIN = Duration.ofMillis(20).toNanos();

    private static final double FORGETS = 0.05;

    private final long most;
    private double expected;

    /** @param most messages are leased no longer than this before they are sent */
    LeadTime(Duration most) {
        this.most = most.toNanos();
    }

    /** A claim took so long. */
    void took(long nanos) {
        expected = Math.max((double) nanos, expected + (nanos - expected) * FORGETS);
    }

    /** For so many claims, in nanoseconds; at random up to half more than needed, since of several nodes the first gets all the room. */
    long next(int claims) {
        double needed = MARGIN + expected * claims;
        return Math.min(most, (long) (needed * ThreadLocalRandom.current().nextDouble(1, 1.5)));
    }
}
