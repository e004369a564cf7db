package io.fila.broker.pacing;

import java.util.List;
import java.util.UUID;

import io.fila.broker.message.Weight;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is known of groups that have left. */
class FairQueueTests {

    private final FairQueue queue = new FairQueue();
    private long sequence;
    private final Lane present = arrive("present", 2);

    @Test
    void remembersWhatAGroupHasHadWhenItLeaves() {
        queue.settle(present.group, 0, 1);
        leave(arrive("gone", 1), 1);

        arrive("gone", 1);

        assertThat(queue.next()).isSameAs(present);
    }

    @Test
    void forgetsItWhenTheOthersHaveHadAsMuch() {
        leave(arrive("gone", 1), 1);
        queue.settle(present.group, 0, 4);

        Lane back = arrive("gone", 1);

        assertThat(queue.next()).as("it is level with what was served last").isSameAs(back);
        queue.settle(back.group, 0, 1);
        assertThat(queue.next()).isSameAs(present);
    }

    /** Keys that are used once must not fill the memory. */
    @Test
    void remembersThoseOfManyThatHaveHadMost() {
        queue.settle(present.group, 0, 1);
        leave(arrive("least", 1), 1);
        leave(arrive("most", 1), 3);
        for (int i = 0; i < 999; i++) {
            leave(arrive("once " + i, 1), 2);
        }

        Lane level = arrive("least", 1);
        arrive("most", 1);

        assertThat(queue.next()).isSameAs(level);
        queue.remove(level);
        assertThat(queue.next()).isSameAs(present);
    }

    @Test
    void forgetsEverybodyWhenNobodyIsLeft() {
        leave(arrive("gone", 1), 5);
        leave(present, 0);
        Lane first = arrive("other", 1);
        Lane back = arrive("gone", 1);
        queue.settle(first.group, 0, 1);

        assertThat(queue.next()).isSameAs(back);
    }

    private Lane arrive(String key, int weight) {
        FairnessGroup group = new FairnessGroup(key);
        group.weigh(new Weight(weight, 0));
        Lane lane = new Lane(new UUID(1, ++sequence), false, group, List.of(), sequence);
        queue.join(group);
        queue.add(lane);
        return lane;
    }

    private void leave(Lane lane, int deliveries) {
        queue.promise(lane.group, deliveries);
        queue.remove(lane);
        queue.leave(lane.group);
    }
}
