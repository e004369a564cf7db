package io.fila.broker.message;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.broker.StoredRows;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.queue.SettingsChange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** How the bound of a queue is kept, and what that costs its producers. It used to count the whole backlog every second. */
class BacklogBoundIT {

    private static final QueueName NAME = QueueName.of("orders");
    private static final Duration A_SECOND = Duration.ofSeconds(1);

    private final StoredRows rows = new StoredRows();
    private final long queueId = rows.queue(NAME.value());
    private final AtomicLong clock = new AtomicLong();
    private final AtomicInteger counts = new AtomicInteger();
    private volatile CountDownLatch mayCount = new CountDownLatch(0);
    private final BacklogBound bound = new BacklogBound(
            new BacklogStore(rows.database) {
                @Override
                Count count(long id, QueueName name, long most) {
                    counts.incrementAndGet();
                    try {
                        mayCount.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return super.count(id, name, most);
                }
            },
            clock::get);

    @AfterEach
    void close() {
        mayCount.countDown();
        bound.close();
        rows.close();
    }

    @Test
    void countsOnceWhileTheQueueIsFarFromItsBound() {
        store(1_000);
        Queue queue = queue(100_000);

        for (int second = 0; second < 100; second++) {
            bound.admit(queue, 1);
            store(1);
            clock.addAndGet(A_SECOND.toNanos());
        }

        assertThat(counts).hasValue(1);
    }

    @Test
    void findsOutWhatOthersHaveStored() {
        Queue queue = queue(1_000);
        bound.admit(queue, 1);
        store(999);
        bound.admit(queue, 1);
        clock.addAndGet(A_SECOND.toNanos());

        bound.admit(queue, 1);
        await().untilAsserted(() -> assertThat(counts).hasValue(2));
        // waits for the count, as there was no room for so many
        assertFull(queue, 999);
        assertFull(queue, 2);
        bound.admit(queue, 1);
    }

    /** Sequences are given to messages of all queues: what others store proves nothing, and must not make producers wait. */
    @Test
    void takesMessagesWhileItCountsThoughOtherQueuesAreBusy() {
        assertTakesMessagesWhileItCounts(
                () -> rows.queryLong("select setval(pg_get_serial_sequence('message', 'sequence'), 1000000)"));
    }

    @Test
    void takesMessagesWhileItCountsAgainIfThereIsRoom() {
        assertTakesMessagesWhileItCounts(() -> store(600));
    }

    private void assertTakesMessagesWhileItCounts(Runnable othersStore) {
        Queue queue = queue(1_000);
        bound.admit(queue, 1);
        othersStore.run();
        clock.addAndGet(A_SECOND.toNanos());
        mayCount = new CountDownLatch(1);

        for (int i = 0; i < 300; i++) {
            bound.admit(queue, 1);
        }

        await().untilAsserted(() -> assertThat(counts).hasValue(2));
        mayCount.countDown();
    }

    /** What is stored while it is counted may be missed by the count: it must not be let in twice. */
    @Test
    void remembersWhatItLetInWhileItCounted() {
        Queue queue = queue(1_000);
        bound.admit(queue, 1);
        store(600);
        clock.addAndGet(A_SECOND.toNanos());
        mayCount = new CountDownLatch(1);
        bound.admit(queue, 1);
        await().untilAsserted(() -> assertThat(counts).hasValue(2));

        bound.admit(queue, 397);
        mayCount.countDown();

        // waits for the count, as there was no room for so many
        assertFull(queue, 700);
        assertFull(queue, 4);
        bound.admit(queue, 3);
        assertFull(queue, 1);
    }

    @Test
    void letsMessagesInAgainWhenOthersHaveGone() {
        store(10);
        Queue queue = queue(10);
        assertFull(queue, 1);
        rows.execute("delete from message where queue_id = ? and sequence <= 4", queueId);
        assertFull(queue, 1);

        clock.addAndGet(A_SECOND.toNanos());

        bound.admit(queue, 4);
        assertFull(queue, 1);
    }

    @Test
    void countsNeitherLeasedMessagesNorThoseOfOtherQueues() {
        rows.message(queueId, MessageState.LEASED, Map.of());
        rows.message(queueId, MessageState.READY, Map.of());
        rows.message(queueId, MessageState.DELAYED, Map.of());
        rows.message(queueId, MessageState.UNCLASSIFIED, Map.of());
        rows.message(queueId - 1, MessageState.READY, Map.of());
        Queue queue = queue(5);

        bound.admit(queue, 2);
        assertFull(queue, 1);
    }

    private void assertFull(Queue queue, int more) {
        assertThatThrownBy(() -> bound.admit(queue, more))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.QUEUE_FULL));
    }

    private void store(int count) {
        rows.execute(
                "insert into message (queue_id, id, lane, state, payload_kind, payload)"
                        + " select ?, gen_random_uuid(), md5('')::uuid, 0, 0, '' from generate_series(1, ?)",
                queueId,
                count);
    }

    private Queue queue(long maxBacklog) {
        QueueSettings settings = new SettingsChange(null, null, maxBacklog).over(QueueSettings.DEFAULT);
        return new Queue(queueId, NAME, settings, false, queueId - 1, List.of());
    }
}
