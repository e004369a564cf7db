package io.fila.broker.script;

import java.util.Map;

/**
 * What {@code on_failure} is told.
 *
 * @param attempts with the one that failed
 * @param reason {@code nack} or {@code lease_expired}
 */
public record FailedMessage(
        String id,
        Map<String, String> headers,
        int attempts,
        int redrives,
        String queue,
        String reason,
        String error) {}
