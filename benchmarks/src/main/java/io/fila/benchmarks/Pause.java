package io.fila.benchmarks;

import java.io.InterruptedIOException;
import java.time.Duration;

/** Lets time pass in a run. */
final class Pause {

    private Pause() {}

    static void of(Duration duration) throws InterruptedIOException {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }
}
