package io.fila.broker.queue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue.
 *
 * @param visibilityTimeout how long a delivery is leased unless it is extended
 * @param maxBacklog above so many waiting messages an enqueue is refused; null: no bound
 */
public record QueueSettings(
        Duration visibilityTimeout,
        RetryPolicy retry,
        @Nullable Long maxBacklog) {

    public static final QueueSettings DEFAULT = new QueueSettings(Duration.ofSeconds(30), RetryPolicy.DEFAULT, null);
}
