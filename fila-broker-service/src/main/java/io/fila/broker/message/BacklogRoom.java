package io.fila.broker.message;

import java.time.Duration;

import io.fila.broker.message.BacklogStore.Count;
import org.jspecify.annotations.Nullable;

/**
 * How many messages a bounded queue can still take, as far as is known. A count costs as much as there is, so it is used for as long
 * as it proves that there is room: what has come into a queue since is at most the sequences that were given to messages since, and
 * what was leased and came back. Only decides; reading is for others. Safe for use by several threads.
 */
final class BacklogRoom {

    private static final long AGE = Duration.ofSeconds(1).toNanos();

    /** What a caller is to do. */
    enum Answer {
        COME_IN,
        QUEUE_IS_FULL,
        /** First see how much was stored. */
        LOOK,
        /** First count: what is known does not prove that there is room. */
        COUNT
    }

    private final long most;

    private @Nullable Count count;

    /** What can be let in by what is known, until a second after {@link #knownAt}. */
    private long room;

    private long knownAt;

    /** Whether that is as much as there is room, not only what is surely there. */
    private boolean isCounted;

    /** What was let in since the count under way began; it may have been missed. */
    private long letInMeanwhile;

    BacklogRoom(long most) {
        this.most = most;
    }

    /** Takes room for {@code more}, if there is. One caller is told to look, and others use meanwhile what was known before. */
    synchronized Answer take(int more, long now) {
        if (count == null) {
            return Answer.COUNT;
        }
        if (now - knownAt >= AGE) {
            knownAt = now;
            isCounted = false;
            return Answer.LOOK;
        }
        if (room < more) {
            return isCounted ? Answer.QUEUE_IS_FULL : Answer.COUNT;
        }
        room -= more;
        letInMeanwhile += more;
        return Answer.COME_IN;
    }

    /** Whether half of the room has been used since the count: then it is time for the next, so that nobody has to wait for it. */
    synchronized boolean looked(long lastSequence, long now) {
        if (count == null) {
            return false;
        }
        long atCount = most - count.waiting() - count.leased();
        // a count may have come in between
        room = atCount - Math.max(0, lastSequence - count.sequence());
        knownAt = now;
        isCounted = false;
        return room < atCount / 2;
    }

    synchronized void countBegins() {
        letInMeanwhile = 0;
    }

    synchronized void counted(Count latest, long now) {
        count = latest;
        room = most - latest.waiting() - letInMeanwhile;
        knownAt = now;
        isCounted = true;
    }
}
