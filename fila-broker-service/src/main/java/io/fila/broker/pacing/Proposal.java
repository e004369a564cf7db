package io.fila.broker.pacing;

import java.util.List;
import java.util.UUID;

/**
 * What the scheduler proposes to deliver next, in this order.
 *
 * @param shares at most one for each lane
 */
record Proposal(List<Share> shares) {

    /**
     * A lane's part.
     *
     * @param head where to begin to look
     * @param expected how many are known to wait, up to the quota
     * @param quota how many at most; one more than expected tells whether the lane is drained
     * @param buckets every one the lane draws from
     */
    record Share(UUID lane, long head, int expected, int quota, List<UUID> buckets) {}

    boolean isEmpty() {
        return shares.isEmpty();
    }
}
