package io.fila.broker.pacing;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Lanes that wait for the same thing: for credit, or for the room of a bucket. Fairness groups take turns by weight, and of a
 * group the oldest lane is served first.
 *
 * <p>It is deficit round robin, with the deficit kept as a running total of what each group has had for its weight: the group
 * that has had least is next. So it does not matter that only the claim knows how much there is to share: a group that was cut
 * short has had less, and is first the next time. A group that comes later starts level with the one that is next, owed nothing
 * for the time before.
 *
 * <p>Every operation costs a logarithm of what waits. Only ever touched by its scheduler.
 */
final class FairQueue {

    /** What a delivery counts for a group of weight one. */
    private static final long UNIT = 1_000_000;

    private final Map<FairnessGroup, Turn> turns = new HashMap<>();

    /** Those with lanes waiting here. */
    private final TreeSet<Turn> waiting = new TreeSet<>(Turn.BY_NEED);

    /** What the group had had that was the first to be served the last time: nobody who comes is taken to have had less. */
    private long level;

    private long numbers;

    /** A group's place. */
    private static final class Turn {

        static final Comparator<Turn> BY_NEED =
                Comparator.comparingLong((Turn turn) -> turn.had).thenComparingLong(turn -> turn.number);

        final FairnessGroup group;
        final TreeSet<Lane> lanes = new TreeSet<>(Lane.BY_AGE);

        /** Makes the order total. */
        final long number;

        long had;

        /** How many lanes may come to wait here. */
        int members;

        Turn(FairnessGroup group, long number) {
            this.group = group;
            this.number = number;
        }
    }

    /** A lane of the group may wait here from now on. */
    void join(FairnessGroup group) {
        turns.computeIfAbsent(group, key -> new Turn(key, numbers++)).members++;
    }

    /** A lane of the group, not waiting here, is no more. */
    void leave(FairnessGroup group) {
        Turn turn = turn(group);
        turn.members--;
        if (turn.members == 0) {
            turns.remove(group);
        }
    }

    /** Whether no lane may come to wait here any more. */
    boolean isAbandoned() {
        return turns.isEmpty();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void add(Lane lane) {
        Turn turn = turn(lane.group);
        if (turn.lanes.isEmpty()) {
            turn.had = Math.max(turn.had, level);
            waiting.add(turn);
        }
        turn.lanes.add(lane);
    }

    void remove(Lane lane) {
        Turn turn = turn(lane.group);
        turn.lanes.remove(lane);
        if (turn.lanes.isEmpty()) {
            waiting.remove(turn);
        }
    }

    /** Something is about to be shared out. */
    void begin() {
        if (!waiting.isEmpty()) {
            level = Math.max(level, waiting.first().had);
        }
    }

    /** The lane to be served next. */
    Lane next() {
        return waiting.first().lanes.first();
    }

    /** How much of {@code left} the group of the next lane gets before it is another's turn. */
    int portion(int left) {
        return waiting.size() == 1 ? left : Math.min(left, waiting.first().group.weight);
    }

    /** The group gets so many deliveries; fewer than none: it gets back what was counted too much. */
    void count(FairnessGroup group, int deliveries) {
        Turn turn = turn(group);
        boolean isWaiting = waiting.remove(turn);
        turn.had += deliveries * UNIT / group.weight;
        if (isWaiting) {
            waiting.add(turn);
        }
    }

    private Turn turn(FairnessGroup group) {
        Turn turn = turns.get(group);
        if (turn == null) {
            throw new IllegalStateException("group '" + group.key + "' has no lane that may wait here");
        }
        return turn;
    }
}
