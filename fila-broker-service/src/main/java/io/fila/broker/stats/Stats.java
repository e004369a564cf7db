package io.fila.broker.stats;

import java.util.List;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/** What is waiting, and for what; at most a second old. Calls block on the database. */
public interface Stats {

    /** Of a queue, or {@code queue-not-found}. */
    QueueStats queue(QueueName queue);

    /** Names of the throttles that are declared, or have deliveries in their window, sorted. */
    List<String> throttles();

    /** Of a throttle, or {@code throttle-not-found}. */
    ThrottleStats throttle(String name, int topBuckets);

    /** Of one bucket; {@code key} empty: the bucket of an unkeyed throttle; null: that of messages lacking the key. */
    BucketStats bucket(String throttle, @Nullable List<String> key);
}
