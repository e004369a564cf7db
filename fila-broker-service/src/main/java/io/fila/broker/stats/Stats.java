package io.fila.broker.stats;

import java.util.List;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/** What is waiting, and for what; at most a second old. Calls block on the database. */
public interface Stats {

    /** How many buckets of a throttle are shown unless their reader says otherwise. */
    int USUAL_TOP_BUCKETS = 10;

    /** The most that can be asked for. */
    int MOST_TOP_BUCKETS = 1000;

    /** Of a queue, or {@code queue-not-found}. */
    QueueStats queue(QueueName queue);

    /** Names of the throttles that are declared, or have deliveries in their window, sorted. */
    List<String> throttles();

    /** Of a throttle with 0 to {@value #MOST_TOP_BUCKETS} of its buckets, or {@code throttle-not-found}. */
    ThrottleStats throttle(String name, int topBuckets);

    /**
     * Of one bucket.
     *
     * @param key the value of each component, in order; null or empty: the one bucket of an unkeyed throttle, or that of messages lacking
     *     the key
     */
    BucketStats bucket(String throttle, @Nullable List<String> key);
}
