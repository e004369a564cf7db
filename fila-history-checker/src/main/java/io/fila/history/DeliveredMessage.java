package io.fila.history;

import java.time.Instant;
import java.util.List;

/**
 * One delivery, as a broker node logged it.
 *
 * @param from not earlier than this it was handed to the consumer's connection
 * @param to and not later than this
 * @param node the broker node
 * @param queue the name of the queue
 * @param message the id of the message
 * @param attempt 1 for the first delivery of the message
 * @param enqueuedAt when the message was enqueued, by the database's clock
 * @param buckets every bucket it was counted in
 */
public record DeliveredMessage(
        Instant from,
        Instant to,
        String node,
        String queue,
        String message,
        int attempt,
        Instant enqueuedAt,
        List<BucketName> buckets)
        implements Counted {

    @Override
    public int count() {
        return 1;
    }
}
