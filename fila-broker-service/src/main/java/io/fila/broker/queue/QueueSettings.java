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
 * @param scripts what is run for its messages
 */
public record QueueSettings(
        Duration visibilityTimeout,
        RetryPolicy retry,
        @Nullable Long maxBacklog,
        @Nullable Ordering ordering,
        DeliveryDurability deliveryDurability,
        @Nullable Duration deadLetterRetention,
        QueueScripts scripts) {

    public static final QueueSettings DEFAULT = new QueueSettings(
            Duration.ofSeconds(30), RetryPolicy.DEFAULT, null, null, DeliveryDurability.COMMITTED, null);

    /** Of a queue without scripts. */
    public QueueSettings(
            Duration visibilityTimeout,
            RetryPolicy retry,
            @Nullable Long maxBacklog,
            @Nullable Ordering ordering,
            DeliveryDurability deliveryDurability,
            @Nullable Duration deadLetterRetention) {
        this(
                visibilityTimeout,
                retry,
                maxBacklog,
                ordering,
                deliveryDurability,
                deadLetterRetention,
                QueueScripts.NONE);
    }

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
