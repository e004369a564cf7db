package io.fila.broker.pacing;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.message.LaneKey;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.Keyed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What sweeps make up for when no signal comes. */
class LaneIntakeIT {

    private static final LaneKey BY_GROUP = new LaneKey(List.of());

    private final StoredRows rows = new StoredRows();
    private final LaneIntake intake = new LaneIntake(
            new LaneStore(rows.database),
            new BucketStore(rows.database, new Timeline(rows.database, Failover.SYNCHRONOUS)),
            Duration.ZERO);
    private final Scheduler scheduler = new Scheduler();
    private QueueRules rules;

    @BeforeEach
    void create() {
        rules = new QueueRules(
                rows.queue("orders"), new QueueName("orders"), 0, false, Duration.ofSeconds(30), BY_GROUP, List.of());
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private record Group(String fairnessKey) implements Keyed {
        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public Map<String, String> attributes() {
            return Map.of();
        }
    }

    private static UUID lane(String group) {
        return BY_GROUP.laneOf(new Group(group));
    }

    private void store(String group, int weight, int count) {
        rows.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload, fairness_key, weight)
                select ?, gen_random_uuid(), ?, 0, 0, 'x', ?, ?
                from generate_series(1, ?)
                """, rules.queueId(), lane(group), group, weight, count);
    }

    private void sweep() {
        intake.sweep();
        do {
            intake.takeIn(rules, scheduler);
        } while (intake.isSweeping());
    }

    /** How many of each lane would be asked for. */
    private Map<UUID, Integer> propose(int credit) {
        Proposal proposal = scheduler.propose(credit, 10, 0);
        Map<UUID, Integer> quotas = new HashMap<>();
        for (Proposal.Share share : proposal.shares()) {
            quotas.put(share.lane(), share.quota());
            scheduler.answer(new LaneAnswer(share.lane(), 0, 0, share.head()), 0);
        }
        return quotas;
    }

    @Test
    void learnsOfAnotherWeightOfAKnownLane() {
        store("changing", 1, 10);
        store("fixed", 1, 10);
        sweep();
        List.of("changing", "fixed").forEach(group -> scheduler.signal(lane(group), 1, 100));
        assertThat(propose(40)).isEqualTo(Map.of(lane("changing"), 20, lane("fixed"), 20));

        store("changing", 3, 1);
        sweep();

        assertThat(propose(40)).isEqualTo(Map.of(lane("changing"), 30, lane("fixed"), 10));
    }
}
