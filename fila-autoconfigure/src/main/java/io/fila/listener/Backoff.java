package io.fila.listener;

import java.time.Duration;

/** Pauses between attempts to subscribe: 1 s, doubled up to 15 s. Guarded by the {@link Lifecycle}'s lock. */
final class Backoff {

    private static final Duration FIRST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(15);

    private Duration next = FIRST;

    Duration next() {
        Duration pause = next;
        Duration doubled = pause.multipliedBy(2);
        next = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        return pause;
    }

    boolean isFresh() {
        return next.equals(FIRST);
    }

    void reset() {
        next = FIRST;
    }
}
