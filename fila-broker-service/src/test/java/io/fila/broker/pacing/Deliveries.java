package io.fila.broker.pacing;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Lease;
import io.fila.broker.message.Payload;
import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.Bucket;

/** Deliveries of which only the sequence matters. */
final class Deliveries {

    private Deliveries() {}

    static Delivery of(long sequence) {
        return new Delivery(
                new Lease(sequence, new UUID(3, sequence)),
                Instant.EPOCH,
                Duration.ofSeconds(30),
                new UUID(4, sequence),
                new QueueName("q"),
                new Payload(new byte[0], Payload.Kind.TEXT),
                Map.of(),
                null,
                Map.of(),
                1,
                0,
                Instant.EPOCH);
    }

    static Leased leased(long sequence, Bucket... buckets) {
        return new Leased(of(sequence), Arrays.asList(buckets));
    }
}
