package io.fila.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as an administrator sees it.
 *
 * @param fairnessKey null: the unkeyed group
 * @param weight of its fairness group
 * @param attributes what the queue's script computed at enqueue
 * @param attempts how often it was delivered
 * @param redrives how often it came back from the dead letter queue
 * @param notBefore when a delayed message becomes ready; null otherwise
 * @param leaseExpiresAt null unless leased
 * @param deadLetteredAt since when it is in a dead letter queue; null if it is not, or was sent there
 * @param failures the latest failed attempts, the oldest first
 */
public record StoredMessage(
        String id,
        String queue,
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
        List<Failure> failures) {

    public StoredMessage {
        headers = Map.copyOf(headers);
        attributes = Map.copyOf(attributes);
        failures = List.copyOf(failures);
    }

    /**
     * One failed attempt.
     *
     * @param reason {@code nack} or {@code lease_expired}
     * @param consumer the subscriber's name, if it is known
     */
    public record Failure(
            int attempt,
            String reason,
            String error,
            @Nullable String consumer,
            Instant at) {}
}
