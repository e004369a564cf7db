package io.fila.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A queue and its settings; null settings take the broker's defaults.
 *
 * @param visibilityTimeout how long a delivery is leased (30 s)
 * @param retry what follows a failed attempt (3 attempts, from 1 s, doubled, at most 1 min)
 * @param maxBacklog enqueue is refused above so many waiting messages (no bound)
 */
public record QueueSpec(
        String name,
        @Nullable Duration visibilityTimeout,
        @Nullable Retry retry,
        @Nullable Long maxBacklog) {

    /** Null fields take the broker's defaults. */
    public record Retry(
            @Nullable Integer maxAttempts,
            @Nullable Duration initialBackoff,
            @Nullable Double multiplier,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter) {}

    /** A queue with default settings. */
    public static QueueSpec of(String name) {
        return new QueueSpec(name, null, null, null);
    }
}
