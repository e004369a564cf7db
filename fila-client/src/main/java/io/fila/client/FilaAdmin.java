package io.fila.client;

import java.util.List;

/**
 * Administers queues, messages and throttles: what REST can do, typed. Obtained as {@link FilaClient#admin()}; safe for use by several threads.
 *
 * <p>Every method blocks until the broker has answered, for the client's request timeout at most, and throws {@link FilaException}
 * with the code of whatever is wrong ({@code queue-not-found}, {@code queue-not-empty}, {@code message-leased}, …). What takes as
 * long as there are messages (purging, deleting by force, redriving) may take five minutes, or the request timeout if that is
 * longer. A call that fails with {@link FilaException#isRetryable()} may have been carried out.
 */
public interface FilaAdmin {

    /** Creates the queue or brings its settings to the given ones; true if it was created. */
    boolean declare(QueueSpec queue);

    /** A queue, which may be a dead letter queue ({@code orders.dlq}), and what is in it. */
    QueueDescription queue(String name);

    /** What is in a queue; at most a second old. */
    default QueueStats queueStats(String name) {
        return queue(name).stats();
    }

    /** All queues but the dead letter queues, by name. */
    List<QueueDescription> queues();

    /** Changes the settings that are given and leaves the others; returns all of them as they are then. */
    QueueSpec change(String name, QueueChange change);

    /** Stops the delivery of the queue's messages, until {@link #resume}. */
    void pause(String name);

    /** Starts the delivery again. */
    void resume(String name);

    /** Removes every message that is there and not leased, but not those in the dead letter queue; returns how many. */
    long purge(String name);

    /**
     * Removes the queue with its dead letter queue.
     *
     * @param force whether also if they hold messages; else that is {@code queue-not-empty}
     */
    void delete(String name, boolean force);

    /**
     * Moves ready dead letters back to their queue, as new arrivals with no attempt counted.
     *
     * @param queue the queue, or its dead letter queue
     * @param count 1 to 100,000: no more messages are moved
     */
    RedriveResult redrive(String queue, int count, Reclassify reclassify);

    /** A message by its id; of one queue, if several hold it. */
    StoredMessage message(String id);

    /** A page of a queue's messages, in order of their arrival. */
    Page messages(String queue, MessageQuery query);

    /** Removes a message that is not leased; {@code message-ambiguous} if several queues hold one of this id. */
    void cancel(String id);

    /** Removes a message of one queue that is not leased. */
    void cancel(String id, String queue);

    /** The throttles that are declared or have deliveries in their window, by name, without their buckets. */
    List<ThrottleStats> throttles();

    /** A throttle with the buckets that hold most, or {@code throttle-not-found}. */
    ThrottleStats throttleStats(String name, TopBuckets topBuckets);

    /**
     * One bucket of a throttle.
     *
     * @param key the value of each component of its key, in order; none: the one bucket of a throttle without a key, or that of
     *     messages lacking the key
     */
    BucketStats throttleBucket(String name, String... key);

    /**
     * Sets a value that scripts read with {@code fila.get(key)}; they see it within a second, on every node.
     *
     * @param key letters, digits, {@code '.'}, {@code '_'} and {@code '-'}, as in names of queues
     * @param value at most 4,096 bytes in UTF-8; there may be 1,000 values in all
     */
    ConfigEntry putConfig(String key, String value);

    /** A value, or {@code config-not-found}. */
    ConfigEntry config(String key);

    /** The values whose keys begin with {@code prefix}, by key; all of them if it is empty. */
    List<ConfigEntry> configs(String prefix);

    /** Removes a value, or throws {@code config-not-found}. */
    void deleteConfig(String key);
}
