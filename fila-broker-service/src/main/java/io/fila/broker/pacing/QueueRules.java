package io.fila.broker.pacing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.Keyed;

/**
 * What delivery from a queue goes by, as of a version: a claim that was proposed with another version is rolled back (I4).
 *
 * @param paused nothing is delivered
 * @param laneKey tells lanes apart at least as finely as the keys of the throttles
 */
record QueueRules(
        long queueId,
        QueueName name,
        long version,
        boolean paused,
        Duration visibilityTimeout,
        LaneKey laneKey,
        List<ActiveThrottle> throttles) {

    /** Every bucket that a message draws from. */
    List<Bucket> bucketsOf(Keyed message) {
        List<Bucket> buckets = new ArrayList<>(throttles.size());
        for (ActiveThrottle throttle : throttles) {
            throttle.bucketOf(message).ifPresent(buckets::add);
        }
        return buckets;
    }
}
