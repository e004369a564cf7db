package io.fila.broker.message;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * A message as an administrator sees it.
 *
 * @param state stored state: never {@code throttled}, which depends on buckets
 * @param notBefore when a delayed message becomes ready, whether its enqueue or a failed attempt says so; null otherwise
 * @param leaseExpiresAt null unless leased
 * @param deadLetteredAt since when it is in a dead letter queue; null if it is not, or was sent there
 * @param failures the most recent failed attempts, oldest first, bounded
 */
public record MessageView(
        UUID id,
        QueueName queue,
        MessageState state,
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        Map<String, String> attributes,
        int attempts,
        int redrives,
        Instant enqueuedAt,
        @Nullable Instant notBefore,
        @Nullable Instant leaseExpiresAt,
        @Nullable Instant deadLetteredAt,
        List<Failure> failures)
        implements Keyed {

    /**
     * One failed attempt.
     *
     * @param attempt counted from the enqueue, or from the redrive before it
     * @param consumer who reported it; null if the lease expired, which nobody reports
     */
    public record Failure(
            int attempt,
            String reason,
            String error,
            @Nullable String consumer,
            Instant at) {}
}
