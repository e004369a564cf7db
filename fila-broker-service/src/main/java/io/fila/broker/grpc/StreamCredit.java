package io.fila.broker.grpc;

import java.util.NavigableMap;
import java.util.TreeMap;

import io.fila.broker.problem.ProblemException;

/**
 * The deliveries that a stream's consumer is ready for. On an ordered queue, what is asked for with a settlement or after it counts once
 * that, or a later one, is done: the message of the group that it sets free may then be the consumer's next one, if it is the oldest.
 *
 * <p>Guarded by its stream's lock.
 */
final class StreamCredit {

    /** What a consumer may ask for at a time. */
    static final int MAX = 10_000;

    private int ready;

    /** By the number of the settlement they wait for. */
    private final NavigableMap<Long, Integer> deferred = new TreeMap<>();

    private long settlements;

    /** The sum of what is deferred. */
    private int waiting;

    int ready() {
        return ready;
    }

    void take(int deliveries) {
        ready -= deliveries;
    }

    /** Sets it to zero, and what was asked for before and waits with it. */
    void drain() {
        ready = 0;
        waiting = 0;
        deferred.clear();
    }

    /** The number of a settlement that begins, which what is asked for from now on waits for if {@code isOrdered}. */
    long settling(boolean isOrdered) {
        settlements++;
        if (isOrdered) {
            deferred.put(settlements, 0);
        }
        return settlements;
    }

    /** A settlement is done; true if anything counts because of it. */
    boolean settled(long settlement) {
        int given = 0;
        NavigableMap<Long, Integer> free = deferred.headMap(settlement, true);
        for (int credit : free.values()) {
            given += credit;
        }
        free.clear();
        waiting -= given;
        ready += given;
        return given > 0;
    }

    /** The consumer asks for more, or {@code invalid-request}; true if it counts at once. */
    boolean ask(int unsigned) {
        long wanted = (long) ready + waiting + Integer.toUnsignedLong(unsigned);
        if (wanted > MAX) {
            throw ProblemException.invalid(
                    "credit: expected at most %d deliveries asked for at a time, got %d".formatted(MAX, wanted));
        }
        if (deferred.isEmpty()) {
            ready += unsigned;
            return unsigned != 0;
        }
        deferred.merge(deferred.lastKey(), unsigned, Integer::sum);
        waiting += unsigned;
        return false;
    }
}
