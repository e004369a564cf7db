package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.pacing.LaneStore.Found;
import io.fila.broker.pacing.LaneStore.GroupHead;

/**
 * Looks up the heads of ordering groups: of each its oldest message, which alone may go. Messages of an ordered queue arrive in the
 * order of their sequences, and a message that came back has kept its own, so a head stays the head until it is gone, and the heads of
 * a group only rise. That is why a claim may go by a head that was seen before, and why the look-up may begin at it, instead of
 * passing all that the group once had.
 *
 * <p>Belongs to its queue's pacing loop.
 */
final class GroupHeads {

    /** Of so many groups it is remembered where to begin: with more, the groups are short. */
    private static final int MOST = 10_000;

    private final LaneStore lanes;

    /** The latest known heads, of those groups that were looked up last. */
    private final Map<UUID, Long> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Long> eldest) {
            return size() > MOST;
        }
    };

    /** Heads that a claim could not lease, of groups to be looked up again. */
    private final Map<UUID, Long> missed = new HashMap<>();

    GroupHeads(LaneStore lanes) {
        this.lanes = lanes;
    }

    /**
     * Heads that may go now.
     *
     * @param others lanes that are no ordering groups, or are empty
     */
    record Ready(List<Found> heads, Set<UUID> others) {}

    /** A claim could not lease this head: it has gone, or somebody else has it. */
    void missed(UUID lane, long head) {
        missed.put(lane, head);
    }

    Ready ready(long queueId, Collection<UUID> lookedUp) {
        Map<UUID, Long> after = new HashMap<>();
        lookedUp.forEach(lane -> after.put(lane, known.getOrDefault(lane, 0L)));
        Ready result = new Ready(new ArrayList<>(), new HashSet<>(lookedUp));
        for (GroupHead head : lanes.heads(queueId, after)) {
            UUID lane = head.message().lane();
            long sequence = head.message().sequence();
            known.put(lane, sequence);
            result.others().remove(lane);
            // what was missed and is still there is somebody else's, who says when it has left or come back
            Long sought = missed.remove(lane);
            if (head.isReady() && (sought == null || sequence > sought)) {
                result.heads().add(head.message());
            }
        }
        lookedUp.forEach(missed::remove);
        return result;
    }
}
