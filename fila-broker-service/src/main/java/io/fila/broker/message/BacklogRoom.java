package io.fila.broker.message;

import java.time.Duration;

import io.fila.broker.message.BacklogStore.Count;
import org.jspecify.annotations.Nullable;

/**
 * How many messages a bounded queue can still take, as far as is known: what was counted last, and what this node has let in since.
 * Only decides; reading is for others. Safe for use by several threads.
 */
final class BacklogRoom {

    private static final long AGE = Duration.ofSeconds(1).toNanos();

    /** So many times as long as a count took passes before the next, or a large backlog would be counted all the time. */
    private static final long REST = 10;

    /** What a caller is to do. */
    enum Answer {
        COME_IN,
        /** And see to it that what is known does not become too old. */
        COME_IN_AND_LOOK,
        QUEUE_IS_FULL,
        /** First count: there was no room a while ago. */
        COUNT
    }

    private final long most;

    private @Nullable Count count;

    /** What this node has let in since the latest count began, which may have missed it; and since the one before. */
    private long letIn;

    private long letInBefore;

    private long countBegan;
    private long nextCount;
    private long nextLook;

    BacklogRoom(long most) {
        this.most = most;
    }

    /** Takes room for {@code more}, if there is. */
    synchronized Answer take(int more, long now) {
        if (count == null) {
            return Answer.COUNT;
        }
        if (most - count.waiting() - letInBefore - letIn < more) {
            return now - nextCount >= 0 ? Answer.COUNT : Answer.QUEUE_IS_FULL;
        }
        letIn += more;
        if (now - nextLook < 0) {
            return Answer.COME_IN;
        }
        nextLook = now + AGE;
        return Answer.COME_IN_AND_LOOK;
    }

    /**
     * Whether it is to be counted again. What has come into the queue, at whatever node, is no more than the sequences that were given
     * to messages since: while that is less than half of the room, what is known is good enough.
     */
    synchronized boolean isOutdated(long lastSequence, long now) {
        return count != null && now - nextCount >= 0 && lastSequence - count.sequence() > (most - count.waiting()) / 2;
    }

    synchronized void countBegins(long now) {
        countBegan = now;
        letInBefore += letIn;
        letIn = 0;
    }

    synchronized void counted(Count latest, long now) {
        count = latest;
        letInBefore = 0;
        nextCount = now + Math.max(AGE, REST * (now - countBegan));
        nextLook = now + AGE;
    }
}
