package io.fila.client;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A message as it was delivered.
 *
 * @param id the broker's id of it, a UUID
 * @param fairnessKey null: the unkeyed group
 * @param attributes what the queue's script computed at enqueue
 * @param attempt which delivery this is, from 1
 * @param redrives how often it came back from the dead letter queue
 */
public record FilaMessage(
        String id,
        String queue,
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        Map<String, String> attributes,
        int attempt,
        int redrives,
        Instant enqueuedAt) {}
