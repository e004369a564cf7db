package io.fila.broker.pacing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import io.fila.broker.Seeds;
import io.fila.broker.StoredRows;
import io.fila.broker.message.LaneKey;
import io.fila.broker.message.Weight;
import io.fila.broker.pacing.LaneStore.Found;
import io.fila.broker.pacing.LaneStore.Head;
import io.fila.broker.pacing.LaneStore.Moved;
import io.fila.broker.throttle.KeyComponent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** How lanes are found in a queue, and messages moved to the lanes of a new lane key. */
class LaneStoreIT {

    private static final LaneKey BY_CUSTOMER = new LaneKey(List.of(KeyComponent.parse("key", "header:customer")));

    private final StoredRows rows = new StoredRows();
    private final LaneStore lanes = new LaneStore(rows.database);
    private long queueId;

    @BeforeEach
    void create() {
        queueId = rows.queue("orders");
        // neighbours on both sides of its entries
        store(rows.queue("before"), UUID.randomUUID(), 3, 0);
        store(rows.queue("after"), UUID.randomUUID(), 3, 0);
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private void store(long queue, UUID lane, int count, int state) {
        rows.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload, available_at, headers)
                select ?, gen_random_uuid(), ?, ?, 0, 'x', clock_timestamp(),
                       jsonb_build_object('customer', 'c' || n % 7)
                from generate_series(1, ?) n
                """, queue, lane, state, count);
    }

    private Map<UUID, Long> lowest() {
        return rows.database.run("look at a test's lanes", connection -> {
            Map<UUID, Long> lowest = new LinkedHashMap<>();
            try (var statement = connection.prepareStatement(
                    "select lane, min(sequence) from message where queue_id = ? and state = 0 group by lane")) {
                statement.setLong(1, queueId);
                var row = statement.executeQuery();
                while (row.next()) {
                    lowest.put(row.getObject(1, UUID.class), row.getLong(2));
                }
            }
            return lowest;
        });
    }

    @Test
    void findsEveryLaneWithReadyMessagesOnceWhateverItsLength() {
        Seeds.each(1, this::findsEveryLane);
    }

    private void findsEveryLane(Random random) {
        for (int i = 0; i < 300; i++) {
            // short ones, and now and then a long one
            store(
                    queueId,
                    new UUID(random.nextLong(), random.nextLong()),
                    i % 20 == 0 ? 200 : 1 + random.nextInt(3),
                    0);
            store(queueId, new UUID(random.nextLong(), random.nextLong()), 1, 1);
        }

        for (int count : List.of(1, 7, 100, 1_000)) {
            Map<UUID, Long> found = new HashMap<>();
            List<Head> page;
            UUID after = LaneStore.FIRST;
            do {
                page = lanes.find(queueId, after, count);
                for (Head head : page) {
                    assertThat(found.put(head.lane(), head.sequence()))
                            .as("found before")
                            .isNull();
                    after = head.lane();
                }
                assertThat(page).hasSizeLessThanOrEqualTo(3 * count);
            } while (page.size() >= count);
            assertThat(found).isEqualTo(lowest());
        }
    }

    @Test
    void describesALaneByItsOldestMessageAndTheWeightOfItsLatest() {
        UUID lane = UUID.randomUUID();
        UUID delayed = UUID.randomUUID();
        store(queueId, lane, 3, 0);
        long oldest = rows.queryLong("select min(sequence) from message where lane = ?", lane);
        rows.execute("update message set weight = 2 where lane = ? and sequence = ?", lane, oldest);
        rows.execute("update message set weight = 5 where lane = ? and sequence = ?", lane, oldest + 2);
        // not ready yet
        store(queueId, lane, 1, 1);
        store(queueId, delayed, 1, 1);

        Weight latest = new Weight(5, oldest + 2);
        assertThat(lanes.describe(queueId, List.of(lane, delayed)))
                .singleElement()
                .satisfies(found -> assertThat(found.sequence()).isEqualTo(oldest))
                .satisfies(found -> assertThat(found.weight()).isEqualTo(latest));
        assertThat(lanes.weigh(queueId, List.of(lane, delayed))).isEqualTo(Map.of(lane, latest));
    }

    @Test
    void movesTheMessagesOfManyLanesInBatchesEachOnceAndTheOldestOfALaneFirst() {
        for (int i = 0; i < 50; i++) {
            store(queueId, UUID.randomUUID(), i % 10 == 0 ? 120 : 1 + i % 3, 0);
        }
        List<Head> stale = new ArrayList<>();
        lowest().keySet().forEach(lane -> stale.add(new Head(lane, 0)));
        long stored = rows.queryLong("select count(*) from message where queue_id = ?", queueId);

        List<Found> moved = new ArrayList<>();
        int batches = 0;
        while (!stale.isEmpty()) {
            Moved batch = lanes.relane(queueId, stale, BY_CUSTOMER, 50);
            moved.addAll(batch.messages());
            stale.subList(0, batch.lanesDone()).clear();
            if (!stale.isEmpty()) {
                stale.set(0, new Head(stale.get(0).lane(), batch.next()));
            }
            batches++;
        }

        assertThat(moved).hasSize((int) stored);
        assertThat(moved).extracting(Found::sequence).doesNotHaveDuplicates();
        assertThat(batches).isEqualTo((int) (stored / 50) + 1);
        assertThat(lowest()).hasSize(7);
        Map<UUID, Long> first = new HashMap<>();
        moved.forEach(message -> first.merge(message.lane(), message.sequence(), Math::min));
        assertThat(first).isEqualTo(lowest());
    }

    @Test
    void leavesMessagesThatSomebodyElseHas() {
        UUID lane = UUID.randomUUID();
        store(queueId, lane, 10, 0);

        Moved moved = rows.database.inTransaction("hold messages", connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute(
                        "select from message where lane = '" + lane + "' order by sequence limit 4 for update");
            }
            return lanes.relane(queueId, List.of(new Head(lane, 0)), BY_CUSTOMER, 50);
        });

        assertThat(moved.messages()).hasSize(6);
        assertThat(moved.lanesDone()).isEqualTo(1);
        assertThat(lowest()).containsKey(lane);
    }
}
