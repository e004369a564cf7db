package io.fila.broker.message;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Redriven.Kept;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
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
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** Redrives while somebody else is at work on the same rows, and redrives that do not come to their end. */
class RedriveRacesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Kept NOTHING = new Kept(0, 0, 0, 0, 0);

    private static String url;
    private static TestBroker broker;

    private final QueueName queue = QueueName.of("raced-" + NUMBER.incrementAndGet());
    private DeadLetterRows rows;

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
        queues().declare(queue, SettingsChange.NONE);
        rows = new DeadLetterRows(url);
    }

    @AfterEach
    void close() throws SQLException {
        rows.close();
    }

    @Test
    void movesEachMessageOnceHoweverManyRedriveAtATime() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 5_000);

        try (TestBroker other = TestBroker.start(url)) {
            List<CompletableFuture<Redriven>> redrives = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                Redrives redriving = (i % 2 == 0 ? broker : other).bean(Redrives.class);
                redrives.add(CompletableFuture.supplyAsync(() -> redriving.redrive(queue, 5_000, Reclassify.ALL)));
            }
            long moved = redrives.stream()
                    .mapToLong(redriven ->
                            redriven.orTimeout(60, TimeUnit.SECONDS).join().moved())
                    .sum();
            // what one skipped since another had it was moved by that one
            assertThat(moved).isEqualTo(5_000);
        }
        assertThat(rows.in(queue)).hasSize(5_000);
        assertThat(new HashSet<>(rows.in(queue))).isEqualTo(new HashSet<>(dead));
        assertThat(rows.number("select count(*) from message where id = any (?) and redrives <> 1", rows.array(dead)))
                .isZero();
    }

    @Test
    void keepsWhatIsMovedAndWhatIsNotWhenATransactionFails() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 1_200);
        String name = "refuse_" + NUMBER.incrementAndGet();
        rows.execute(
                "create function %s() returns trigger language plpgsql as 'begin raise ''no''; end'".formatted(name));
        rows.execute(
                "create trigger %1$s before update on message for each row when (new.id = '%2$s') execute function %1$s()"
                        .formatted(name, dead.get(700)));
        try {
            assertThatThrownBy(() -> redrive(1_200)).isInstanceOf(IllegalStateException.class);
            assertThat(rows.in(queue)).isEqualTo(dead.subList(0, 500));
            assertThat(rows.in(queue.deadLetter())).isEqualTo(dead.subList(500, 1_200));
        } finally {
            rows.execute("drop trigger " + name + " on message");
        }

        assertThat(redrive(1_200)).isEqualTo(new Redriven(700, NOTHING));
        assertThat(rows.in(queue)).isEqualTo(dead);
    }

    @Test
    void losesNeitherMessageWhenItsIdIsEnqueuedAtThatMoment() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 3);
        rows.execute("begin");
        copy(dead.get(1));

        CompletableFuture<Redriven> redriven = CompletableFuture.supplyAsync(() -> redrive(100));
        patiently().until(rows::isWaitedFor);
        assertThat(broker.bean(Messages.class)
                        .enqueue(queue, List.of(message(dead.get(0), null, null)))
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join())
                .containsExactly(new Enqueued(dead.get(0), true));
        rows.execute("commit");

        assertThat(redriven.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(new Redriven(2, new Kept(0, 1, 0, 0, 0)));
        assertThat(rows.in(queue)).containsExactlyInAnyOrderElementsOf(dead);
        assertThat(rows.in(queue.deadLetter())).containsExactly(dead.get(1));
    }

    @Test
    void goesOnWhenAnEnqueueOfTheSameIdFails() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 3);
        rows.execute("begin");
        copy(dead.get(1));

        CompletableFuture<Redriven> redriven = CompletableFuture.supplyAsync(() -> redrive(100));
        patiently().until(rows::isWaitedFor);
        rows.execute("rollback");

        assertThat(redriven.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(new Redriven(3, NOTHING));
        assertThat(rows.in(queue)).isEqualTo(dead);
    }

    @Test
    void saysThatTheQueueIsGoneWhenItIsDeletedMeanwhile() {
        List<UUID> dead = rows.store(queue, MessageState.READY, 3);
        rows.execute("begin");
        rows.execute("delete from queue where name = ?", queue.value());
        CompletableFuture<ProblemException> problem =
                CompletableFuture.supplyAsync(() -> catchThrowableOfType(ProblemException.class, () -> redrive(100)));
        patiently().until(rows::isWaitedFor);
        rows.execute("commit");

        assertThat(problem.orTimeout(60, TimeUnit.SECONDS).join().code()).isEqualTo(ProblemCode.QUEUE_NOT_FOUND);
        assertThat(rows.in(queue.deadLetter())).isEqualTo(dead);
    }

    /** What draws its sequence first must be committed first, or the second would be delivered before it. */
    @Test
    void waitsForOtherArrivalsOfAnOrderedQueueOnly() {
        QueueName ordered = new QueueName(queue + "-ordered");
        queues().declare(ordered, SettingsChange.of(new Ordering(List.of(), WhenKeyMissing.REJECT)));
        rows.store(queue, MessageState.READY, 1);
        rows.store(ordered, MessageState.READY, 1);
        rows.execute("begin");
        rows.execute("select 1 from queue where name in (?, ?) for no key update", queue.value(), ordered.value());

        assertThat(redrive(100).moved()).isOne();
        CompletableFuture<Redriven> redriven =
                CompletableFuture.supplyAsync(() -> broker.bean(Redrives.class).redrive(ordered, 100, Reclassify.ALL));
        patiently().until(rows::isWaitedFor);
        assertThat(redriven).isNotDone();
        rows.execute("commit");

        assertThat(redriven.orTimeout(60, TimeUnit.SECONDS).join().moved()).isOne();
    }

    /** It might be moved, fail again, and be moved again, for as long as there is somebody who fails it. */
    @Test
    void movesNothingTwiceThatFailsAgainMeanwhile() {
        rows.store(queue, MessageState.READY, 1_200);
        String name = "fail_again_" + NUMBER.incrementAndGet();
        // what is moved is dead-lettered once more before the redrive goes on
        rows.execute("""
                create function %1$s() returns trigger language plpgsql as '
                begin
                    insert into message (queue_id, id, lane, state, redrives, payload_kind, payload)
                    values (old.queue_id, gen_random_uuid(), old.lane, 0, 1, 0, '''');
                    return null;
                end'
                """.formatted(name));
        rows.execute("""
                create trigger %1$s after update on message for each row
                when (old.queue_id <> new.queue_id and new.redrives = 1) execute function %1$s()
                """.formatted(name));
        try {
            assertThat(redrive(10_000)).isEqualTo(new Redriven(1_200, new Kept(0, 0, 0, 0, 1_200)));
        } finally {
            rows.execute("drop trigger " + name + " on message");
        }
    }

    private Redriven redrive(int count) {
        return broker.bean(Redrives.class).redrive(queue, count, Reclassify.ALL);
    }

    /** Stores a message of that id in the queue, as an enqueue does that has not seen the dead letter. */
    private void copy(UUID id) {
        rows.execute("""
                insert into message (queue_id, id, lane, state, payload_kind, payload)
                select id, ?, md5('')::uuid, 0, 0, '' from queue where name = ?
                """, id, queue.value());
    }

    private static Queues queues() {
        return broker.bean(Queues.class);
    }

    private static NewMessage message(UUID id, Duration delay, Instant notBefore) {
        Payload payload = new Payload(new byte[0], Payload.Kind.TEXT);
        return new NewMessage(id, payload, Map.of(), null, 1, delay, notBefore);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
