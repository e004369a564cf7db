package io.fila.broker.pacing;

import java.time.Duration;
import java.util.List;

import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ActiveThrottle;

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

    /** Whether lanes and buckets are the same under both, so that what is known of lanes holds. */
    boolean schedulesLike(QueueRules other) {
        return laneKey.equals(other.laneKey) && throttles.equals(other.throttles);
    }
}
