package io.fila.broker.message;

import java.util.UUID;

/**
 * What became of one message of an enqueue.
 *
 * @param duplicate the queue already held a message with this id; nothing was stored
 */
public record Enqueued(UUID id, boolean duplicate) {}
