package io.fila.broker.queue;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A queue as it is stored.
 *
 * @param deadLetterId the id of its dead letter queue; null for a dead letter queue
 * @param laneKey the key components that tell its lanes apart
 */
public record Queue(
        long id,
        QueueName name,
        QueueSettings settings,
        boolean paused,
        @Nullable Long deadLetterId,
        List<String> laneKey) {}
