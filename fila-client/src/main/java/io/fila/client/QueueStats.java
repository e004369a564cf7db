package io.fila.client;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How many messages of a queue are in each state, at most a second old.
 *
 * @param ready those that may be delivered as soon as a consumer asks
 * @param throttled waiting ones that a bucket without room holds; they are not in {@code ready}
 * @param deadLettered in its dead letter queue
 * @param oldestReadyAt when the oldest ready one was enqueued; null if there is none
 * @param oldestUnclassifiedAt when the oldest unclassified one was enqueued; null if there is none
 * @param pausedScripts those that the node which answered does not run for now, since they kept timing out
 */
public record QueueStats(
        long ready,
        long delayed,
        long throttled,
        long leased,
        long unclassified,
        long deadLettered,
        @Nullable Instant oldestReadyAt,
        @Nullable Instant oldestUnclassifiedAt,
        int subscribers,
        List<ThrottleInForce> throttles,
        List<PausedScript> pausedScripts) {

    public QueueStats {
        throttles = List.copyOf(throttles);
        pausedScripts = List.copyOf(pausedScripts);
    }

    /** A script, {@code on_enqueue} or {@code on_failure}, that is not run until then. */
    public record PausedScript(String function, Instant until) {}

    /** A throttle with the limits in force on the queue, and how many of its subscribers declare it. */
    public record ThrottleInForce(ThrottleSpec throttle, int subscribers) {}
}
