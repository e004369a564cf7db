package io.fila.broker.script;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Keeps a script from being run while it only times out: after several runs in a row that did, none is made for a while, then one, and
 * if that times out too, none for twice as long. Safe for use by several threads.
 */
final class Circuit {

    private static final int THRESHOLD = 5;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;

    private int timeouts;
    private Duration pause = FIRST_PAUSE;
    private long openUntil;
    private boolean isOpen;

    /** @param nanoTime like {@link System#nanoTime} */
    Circuit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** How long no run is to be made; zero if one may be. */
    synchronized Duration openFor() {
        long left = isOpen ? openUntil - nanoTime.getAsLong() : 0;
        return left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
    }

    /** A run ended by itself, well or not. */
    synchronized void ended() {
        timeouts = 0;
        pause = FIRST_PAUSE;
        isOpen = false;
    }

    synchronized void timedOut() {
        timeouts++;
        if (timeouts < THRESHOLD) {
            return;
        }
        if (isOpen) {
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
        isOpen = true;
        openUntil = nanoTime.getAsLong() + pause.toNanos();
    }
}
