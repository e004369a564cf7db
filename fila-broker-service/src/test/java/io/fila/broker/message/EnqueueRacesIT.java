package io.fila.broker.message;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Enqueues of an id while its message is on the way to the dead letter queue, and what happens to it there. It was stored a second
 * time: what is no longer in the queue was looked for among the dead letters before it came there.
 */
class EnqueueRacesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static String url;
    private static TestBroker broker;

    private final QueueName queue = QueueName.of("overlapped-" + NUMBER.incrementAndGet());

    /** Two who settle, each in a transaction of its own. */
    private DeadLetterRows first;

    private DeadLetterRows second;

    @BeforeAll
    static void start() {
        url = TestDatabase.create();
        broker = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void declare() throws SQLException {
        broker.bean(Queues.class).declare(queue, SettingsChange.NONE);
        first = new DeadLetterRows(url);
        second = new DeadLetterRows(url);
    }

    @AfterEach
    void close() throws SQLException {
        first.close();
        second.close();
    }

    @Test
    void storesNothingWhenTheMessageBecomesADeadLetterMeanwhile() {
        UUID id = first.lease(queue, 1).get(0);
        first.execute("begin");
        first.fail(id);
        CompletableFuture<List<Enqueued>> one = enqueue(List.of(id));
        patiently().until(first::isWaitedFor);
        CompletableFuture<List<Enqueued>> other = enqueue(List.of(id));
        patiently().until(() -> first.waiting() == 2);

        first.execute("commit");

        assertThat(answer(one)).containsExactly(new Enqueued(id, true));
        assertThat(answer(other)).containsExactly(new Enqueued(id, true));
        assertThat(first.in(queue)).isEmpty();
        assertThat(first.in(queue.deadLetter())).containsExactly(id);
    }

    @Test
    void storesNothingWhenTheMessageStaysAfterAll() {
        UUID id = first.lease(queue, 1).get(0);
        first.execute("begin");
        first.fail(id);
        CompletableFuture<List<Enqueued>> enqueued = enqueue(List.of(id));
        patiently().until(first::isWaitedFor);

        first.execute("rollback");

        assertThat(answer(enqueued)).containsExactly(new Enqueued(id, true));
        assertThat(first.in(queue)).containsExactly(id);
        assertThat(first.in(queue.deadLetter())).isEmpty();
    }

    /** The redrive finds the id in the queue for a moment, where it is about to be withdrawn. */
    @Test
    void letsARedriveOfThatMomentGoOn() {
        List<UUID> ids = first.lease(queue, 2);
        CompletableFuture<List<Enqueued>> enqueued = enqueueBetween(ids);
        CompletableFuture<Redriven> redriven =
                CompletableFuture.supplyAsync(() -> broker.bean(Redrives.class).redrive(queue, 100, Reclassify.ALL));
        patiently().until(() -> first.waiting() == 2);

        second.execute("commit");

        assertThat(answer(enqueued)).containsExactly(new Enqueued(ids.get(0), true), new Enqueued(ids.get(1), true));
        assertThat(redriven.orTimeout(60, TimeUnit.SECONDS).join().moved()).isOne();
        assertThat(first.in(queue)).containsExactly(ids.get(0));
        assertThat(first.in(queue.deadLetter())).containsExactly(ids.get(1));
    }

    @Test
    void storesAnotherMessageWhenTheDeadLetterIsRemovedMeanwhile() {
        List<UUID> ids = first.lease(queue, 2);
        CompletableFuture<List<Enqueued>> enqueued = enqueueBetween(ids);
        broker.bean(Messages.class).cancel(ids.get(0), queue.deadLetter());

        second.execute("commit");

        assertThat(answer(enqueued)).containsExactly(new Enqueued(ids.get(0), false), new Enqueued(ids.get(1), true));
        assertThat(first.in(queue)).containsExactly(ids.get(0));
        assertThat(first.in(queue.deadLetter())).containsExactly(ids.get(1));
    }

    /** An enqueue of two ids that has come past the first, whose message is a dead letter now, and waits for what becomes of the second. */
    private CompletableFuture<List<Enqueued>> enqueueBetween(List<UUID> ids) {
        first.execute("begin");
        first.fail(ids.get(0));
        second.execute("begin");
        second.fail(ids.get(1));
        CompletableFuture<List<Enqueued>> enqueued = enqueue(ids);
        patiently().until(first::isWaitedFor);
        first.execute("commit");
        patiently().until(second::isWaitedFor);
        return enqueued;
    }

    private CompletableFuture<List<Enqueued>> enqueue(List<UUID> ids) {
        Payload payload = new Payload(new byte[0], Payload.Kind.TEXT);
        return broker.bean(Messages.class)
                .enqueue(
                        queue,
                        ids.stream()
                                .map(id -> new NewMessage(id, payload, Map.of(), null, 1, null, null))
                                .toList());
    }

    private static List<Enqueued> answer(CompletableFuture<List<Enqueued>> enqueued) {
        return enqueued.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
