package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/**
 * A leased message on its way to a consumer.
 *
 * @param visibilityTimeout how long the lease lasts, from the claim
 */
public record Delivery(
        Lease lease,
        Instant leaseExpiresAt,
        Duration visibilityTimeout,
        UUID id,
        QueueName queue,
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        Map<String, String> attributes,
        int attempt,
        int redrives,
        Instant enqueuedAt) {}
