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
 * @param notBefore when a delayed message becomes ready; null otherwise
 * @param leaseExpiresAt null unless leased
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
        List<Failure> failures)
        implements Keyed {

    /** One failed attempt. */
    public record Failure(
            int attempt,
            String reason,
            String error,
            @Nullable String consumer,
            Instant at) {}
}
