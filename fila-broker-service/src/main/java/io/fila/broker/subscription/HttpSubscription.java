package io.fila.broker.subscription;

import java.time.Instant;
import java.util.UUID;

import io.fila.broker.queue.QueueName;

/** An accepted subscription by HTTP. */
public record HttpSubscription(UUID id, QueueName queue, Instant expiresAt) {}
