package io.fila.throttle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fila.client.FilaClient;
import io.fila.client.PermitResult;

/**
 * Permits for calls to a rate-limited API that do not come from a queue: counted in the buckets that deliveries are counted in,
 * by the same limits, across the whole cluster. Safe for use by several threads.
 *
 * <pre>{@code
 * if (throttles.tryAcquire("stripe", List.of("acme"), 1)) {
 *     stripe.refund(…);
 * }
 * }</pre>
 *
 * <p>Permits are granted all or not at all, count from the moment at which the broker answers, and are not given back. Nothing
 * here waits for room, goes before the messages that wait for the same bucket, or after them. A throttle is known while a
 * subscriber declares it, and as long as its deliveries are remembered; otherwise, and when the broker cannot be reached, the
 * methods throw {@link io.fila.client.FilaException}.
 */
public class FilaThrottles {

    private final FilaClient client;

    public FilaThrottles(FilaClient client) {
        this.client = client;
    }

    /**
     * Acquires permits of the one bucket of a throttle without a key, or of the bucket of those lacking the key; true if they
     * are granted.
     */
    public boolean tryAcquire(String name, int permits) {
        return tryAcquire(name, List.of(), permits);
    }

    /** Acquires permits of the bucket with these values, one for each component of the key in order; true if they are granted. */
    public boolean tryAcquire(String name, List<String> key, int permits) {
        return acquire(name, key, permits).isGranted();
    }

    /**
     * Like {@link #tryAcquire(String, List, int)}: empty if they are granted, and else when there is room for all of them, by
     * the clock of the broker's database, unless others take it.
     */
    public Optional<Instant> acquireOrRoomAt(String name, List<String> key, int permits) {
        return Optional.ofNullable(acquire(name, key, permits).roomAt());
    }

    private PermitResult acquire(String name, List<String> key, int permits) {
        return client.tryAcquire(name, key, permits);
    }
}
