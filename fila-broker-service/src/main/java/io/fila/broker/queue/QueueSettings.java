package io.fila.broker.queue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue.
 *
 * @param visibilityTimeout how long a delivery is leased unless it is extended
 * @param maxBacklog above so many waiting messages an enqueue is refused; null: no bound
 * @param ordering null: none is kept
 * @param deadLetterRetention after so long in the dead letter queue a message is removed; null: never
 */
public record QueueSettings(
        Duration visibilityTimeout,
        RetryPolicy retry,
        @Nullable Long maxBacklog,
        @Nullable Ordering ordering,
        DeliveryDurability deliveryDurability,
        @Nullable Duration deadLetterRetention) {

    public static final QueueSettings DEFAULT = new QueueSettings(
            Duration.ofSeconds(30), RetryPolicy.DEFAULT, null, null, DeliveryDurability.COMMITTED, null);

    /** The defaults, in the given order. */
    static QueueSettings defaultsWith(@Nullable Ordering ordering) {
        return new QueueSettings(
                DEFAULT.visibilityTimeout,
                DEFAULT.retry,
                DEFAULT.maxBacklog,
                ordering,
                DEFAULT.deliveryDurability,
                DEFAULT.deadLetterRetention);
    }
}
