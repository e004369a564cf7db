package io.fila.broker.pacing;

import java.time.Duration;
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
 * passing all that the group once had. A failover of the database may bring back what was gone: then all of it is forgotten.
 *
 * <p>Belongs to its queue's pacing loop.
 */
final class GroupHeads {

    /** Of so many groups it is remembered where to begin; of others it is at their start. */
    private static final int MOST = 10_000;

    /** When to look again at a head that was missed and is still there. */
    private static final long LOOKS_AGAIN = Duration.ofMillis(100).toNanos();

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

    /** Groups to be looked up again, whatever is signalled, and when, by this node's clock. */
    private final Map<UUID, Long> later = new HashMap<>();

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

    /** What was known is no longer true. */
    void forgetAll() {
        known.clear();
        missed.clear();
        later.clear();
    }

    /** Groups that are to be looked up again by now. */
    List<UUID> takeDue(long now) {
        List<UUID> due = later.entrySet().stream()
                .filter(entry -> entry.getValue() - now <= 0)
                .map(Map.Entry::getKey)
                .toList();
        due.forEach(later::remove);
        return due;
    }

    /** When the next group is to be looked up again; {@link Long#MAX_VALUE} if none is. */
    long nextDue() {
        return later.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    Ready ready(long queueId, Collection<UUID> lookedUp) {
        Map<UUID, Long> after = new HashMap<>();
        lookedUp.forEach(lane -> after.put(lane, known.getOrDefault(lane, 0L)));
        Ready result = new Ready(new ArrayList<>(), new HashSet<>(lookedUp));
        for (GroupHead head : lanes.heads(queueId, after)) {
            UUID lane = head.message().lane();
            long sequence = head.message().sequence();
            result.others().remove(lane);
            Long sought = missed.remove(lane);
            if (!head.isHead()) {
                // an unclassified message before it may turn out to be the head
                continue;
            }
            known.put(lane, sequence);
            if (!head.isReady()) {
                continue;
            }
            if (sought == null || sequence > sought) {
                result.heads().add(head.message());
            } else {
                // somebody else has it locked, who may be gone before saying what became of it
                later.put(lane, System.nanoTime() + LOOKS_AGAIN);
            }
        }
        lookedUp.forEach(missed::remove);
        return result;
    }
}
