package io.fila.broker.pacing;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * Lanes that wait for the same thing: for credit, or for the room of a bucket. Fairness groups take turns by weight, and of a
 * group the oldest lane is served first.
 *
 * <p>It is deficit round robin, with the deficit kept as a running total of what each group has had for its weight: the group
 * that has had least is next. So it does not matter that only the claim knows how much there is to share: a group that was cut
 * short has had less, and is first the next time. A group that comes later starts level with the one that was served last, owed
 * nothing for the time before (start-time fair queueing: its start is the later of its own end and the virtual time).
 *
 * <p>What a group has had before its turn stays counted when it leaves: or one that has one message at a time would come back
 * level each time, and be the next for ever. It is forgotten when the others have had as much, or when nobody is left to care.
 *
 * <p>A group whose lanes are all in flight (ordering groups, which have one message to give at a time) has not left: it is owed what it
 * could not take meanwhile, up to one delivery for each of those lanes, or one turn. It could not have taken more of them at once, and
 * what it can never take does not add up.
 *
 * <p>Every operation costs a logarithm of what waits. Only ever touched by its scheduler.
 */
final class FairQueue {

    /** What a delivery counts for a group of weight one. */
    private static final long UNIT = 1_000_000;

    /** Of so many groups that have left it is known what they have had. Of more, those that have had least before their turn come back level. */
    private static final int MOST_LEFT = 1_000;

    /** By fairness key. */
    private final Map<@Nullable String, Turn> turns = new HashMap<>();

    /** Those with lanes waiting here. */
    private final TreeSet<Turn> waiting = new TreeSet<>(Turn.BY_NEED);

    /** Those that no lane may come to wait here of, and that have had more than {@link #level}. */
    private final TreeSet<Turn> left = new TreeSet<>(Turn.BY_NEED);

    /** What the group that was served last had had before its last delivery: nobody who comes is taken to have had less. */
    private long level;

    private long numbers;

    /** How many lanes may come to wait here. */
    private int members;

    /** A group's place. */
    private static final class Turn {

        static final Comparator<Turn> BY_NEED =
                Comparator.comparingLong((Turn turn) -> turn.had).thenComparingLong(turn -> turn.number);

        FairnessGroup group;
        final TreeSet<Lane> lanes = new TreeSet<>(Lane.BY_AGE);

        /** Makes the order total. */
        final long number;

        /** With what is promised. */
        long had;

        /** How many deliveries it is to get, by a claim that has not been answered. */
        int promised;

        /** How many lanes may come to wait here, those in flight among them. */
        int members;

        /** How many lanes are in flight. */
        int inFlight;

        Turn(FairnessGroup group, long number) {
            this.group = group;
            this.number = number;
        }

        long costOf(int deliveries) {
            return deliveries * UNIT / group.weight;
        }

        /** What it is owed at most when all that it has was in flight. */
        long mostOwed() {
            return inFlight == 0 ? 0 : Math.max(UNIT, costOf(inFlight));
        }
    }

    /** A lane of the group may wait here from now on. */
    void join(FairnessGroup group) {
        Turn turn = turns.computeIfAbsent(group.key, key -> new Turn(group, numbers++));
        if (turn.members == 0) {
            left.remove(turn);
            turn.group = group;
        }
        turn.members++;
        members++;
    }

    /** A lane of the group, not waiting here, is no more. */
    void leave(FairnessGroup group) {
        Turn turn = turn(group);
        turn.members--;
        members--;
        if (turn.members == 0) {
            left.add(turn);
            forgetLeft();
        }
    }

    /** A lane of the group, not waiting here, is in flight: it may come back as another lane, or {@link #land}. */
    void takeOff(FairnessGroup group) {
        turn(group).inFlight++;
    }

    /** A lane of the group that was in flight is no more; if it has come back, that is known by now. */
    void land(FairnessGroup group) {
        turn(group).inFlight--;
        leave(group);
    }

    /** Whether no lane may come to wait here any more. */
    boolean isAbandoned() {
        return members == 0;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The lane begins to wait here. */
    void add(Lane lane) {
        Turn turn = turn(lane.group);
        if (turn.lanes.isEmpty()) {
            turn.had = Math.max(turn.had, level - turn.mostOwed());
        }
        putBack(lane);
    }

    /** The lane has not ceased to wait here: it was taken out for a claim, which did not give it all that it could take. */
    void putBack(Lane lane) {
        Turn turn = turn(lane.group);
        if (turn.lanes.isEmpty()) {
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

    /** The lane to be served next. */
    Lane next() {
        return waiting.first().lanes.first();
    }

    /** How much of that the group of the next lane gets before it is another's turn. */
    int portion(int rest) {
        return waiting.size() == 1 ? rest : Math.min(rest, waiting.first().group.weight);
    }

    /** The group is to get so many deliveries. */
    void promise(FairnessGroup group, int deliveries) {
        Turn turn = turn(group);
        count(turn, deliveries);
        turn.promised += deliveries;
    }

    /** The group has got so many deliveries, of which so many were promised: what was not is counted, and what it has not got no longer. */
    void settle(FairnessGroup group, int promised, int deliveries) {
        Turn turn = turn(group);
        count(turn, deliveries - promised);
        turn.promised -= promised;
        if (deliveries > 0) {
            level = Math.max(level, turn.had - turn.costOf(turn.promised + 1));
            forgetLeft();
        }
    }

    private void count(Turn turn, int deliveries) {
        boolean isWaiting = waiting.remove(turn);
        turn.had += turn.costOf(deliveries);
        if (isWaiting) {
            waiting.add(turn);
        }
    }

    private void forgetLeft() {
        while (!left.isEmpty() && (isAbandoned() || left.first().had <= level || left.size() > MOST_LEFT)) {
            turns.remove(left.pollFirst().group.key);
        }
    }

    private Turn turn(FairnessGroup group) {
        Turn turn = turns.get(group.key);
        if (turn == null || turn.members == 0) {
            throw new IllegalStateException("group '" + group.key + "' has no lane that may wait here");
        }
        return turn;
    }
}
