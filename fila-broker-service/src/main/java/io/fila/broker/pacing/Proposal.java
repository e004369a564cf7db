package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.throttle.Bucket;

/**
 * What the scheduler proposes to deliver next, in this order.
 *
 * @param shares at most one for each lane
 * @param openings when buckets have room, by the database's clock, of those of which it is known: it may lie ahead
 */
record Proposal(List<Share> shares, Map<UUID, OffsetDateTime> openings) {

    /**
     * A lane's part.
     *
     * @param head where to begin to look; of an ordering group the one message that may go
     * @param isGroup whether the lane is an ordering group
     * @param expected how many are known to wait, up to the quota
     * @param quota how many at most; one more than expected tells whether the lane is drained
     * @param buckets every one the lane draws from
     */
    record Share(UUID lane, boolean isGroup, long head, int expected, int quota, List<Bucket> buckets) {

        /** Where to end to look. */
        long last() {
            return isGroup ? head : Long.MAX_VALUE;
        }

        /** The same with another quota, so much of which is known to wait. */
        Share of(int allotted) {
            return new Share(lane, isGroup, head, allotted, allotted, buckets);
        }
    }

    boolean isEmpty() {
        return shares.isEmpty();
    }
}
