package io.fila.broker.pacing;

import java.util.Comparator;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** What the scheduler knows of a lane. Only ever touched by its scheduler. */
final class Lane {

    /** The oldest first; the id only makes the order total. */
    static final Comparator<Lane> BY_AGE =
            Comparator.comparingLong((Lane lane) -> lane.head).thenComparing(lane -> lane.id);

    /** Where a lane is. */
    enum Place {
        READY,
        PARKED,
        CLAIMED
    }

    final UUID id;

    /** An ordering group: it has one message to give, its head, and then is looked up anew. */
    final boolean isGroup;

    final FairnessGroup group;
    final List<WatchedBucket> buckets;

    Place place = Place.READY;

    /** No waiting message has a lower sequence, as far as is known: where a claim starts to look. */
    long head;

    /** How many to ask for: what is known to wait, and one more, so that the answer tells whether the lane is drained. */
    long want;

    /**
     * The lowest sequence that became ready while the lane was being claimed, which its answer does not know of;
     * {@link Long#MAX_VALUE} if none did.
     */
    long signalled = Long.MAX_VALUE;

    /** How many of it are proposed. */
    int quota;

    /** Where it is parked. */
    @Nullable WatchedBucket holder;

    /** Whose room it was woken for; null if it did not have to wait. */
    @Nullable WatchedBucket wokenBy;

    /** How much of that room is meant for it. */
    int portion;

    Lane(UUID id, boolean isGroup, FairnessGroup group, List<WatchedBucket> buckets, long head) {
        this.id = id;
        this.isGroup = isGroup;
        this.group = group;
        this.buckets = List.copyOf(buckets);
        this.head = head;
        this.want = 1;
    }

    /** How many are known to wait. */
    int expected() {
        if (isGroup) {
            return 1;
        }
        return (int) Math.max(1, want - 1);
    }

    /** No more than this is to be proposed: of contended room, its portion. */
    int most() {
        if (isGroup) {
            return 1;
        }
        return (int) (wokenBy == null || portion >= expected() ? want : portion);
    }
}
