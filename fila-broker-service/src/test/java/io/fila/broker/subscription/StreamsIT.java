package io.fila.broker.subscription;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Leases;
import io.fila.broker.node.Node;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.pacing.Pacing;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Whether a subscription goes with its stream, whatever happens while it is accepted. */
class StreamsIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static TestBroker broker;

    private final SlowStore store = new SlowStore();
    private final Streams streams = new Streams(
            store,
            broker.bean(Queues.class),
            broker.bean(Pacing.class),
            broker.bean(Leases.class),
            broker.bean(Node.class),
            broker.bean(SubscriptionReaper.class));
    private QueueName queue;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void createQueue() {
        queue = broker.createQueue("q-" + UUID.randomUUID());
    }

    /** Nobody had a stream to close, so its limit stayed in force for as long as the node lived. */
    @Test
    void endsASubscriptionOfWhichItIsNotKnownWhetherItWasAccepted() {
        store.onceAccepted = () -> {
            assertThat(subscriptions()).isEqualTo(1);
            throw new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE, "the database was lost before it answered", null, null);
        };

        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> open(new Sink()));

        await().atMost(PATIENCE).until(() -> subscriptions() == 0);
    }

    /** It was taken for one that others had ended, and no longer ended with its stream. */
    @Test
    void keepsAStreamThatIsAcceptedDuringTheLookForThoseThatWereEnded() {
        Sink before = new Sink();
        open(before);
        execute("delete from subscription where queue_id = (select id from queue where name = '" + queue + "')");
        Sink meanwhile = new Sink();
        Streams.Stream[] accepted = new Streams.Stream[1];
        store.onceLookedFor = () -> accepted[0] = open(meanwhile);

        streams.lapsed();

        assertThat(before.end).isNotNull();
        assertThat(meanwhile.end).isNull();
        accepted[0].close();
        await().atMost(PATIENCE).until(() -> subscriptions() == 0);
    }

    /** It would have delivered by limits that were no longer declared. */
    @Test
    void refusesAStreamWhoseSubscriptionOthersMayHaveEndedSinceItWasAccepted() {
        store.onceAccepted = streams::lapsed;

        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> open(new Sink()))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE));

        await().atMost(PATIENCE).until(() -> subscriptions() == 0);
    }

    private Streams.Stream open(Sink sink) {
        return streams.open(queue, "test", List.of(throttle("t-" + queue, "5/1h")), sink);
    }

    private static void execute(String sql) {
        broker.bean(Database.class).run("change a test's rows", connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private long subscriptions() {
        return broker.bean(Database.class).run("count subscriptions", connection -> {
            try (var statement = connection.prepareStatement(
                    "select count(*) from subscription s join queue q on q.id = s.queue_id where q.name = ?")) {
                statement.setString(1, queue.value());
                try (var row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    /** The store, with something that happens in between. */
    private static final class SlowStore extends SubscriptionStore {

        private Runnable onceAccepted = () -> {};
        private Runnable onceLookedFor = () -> {};

        private SlowStore() {
            super(broker.bean(Database.class), broker.bean(Timeline.class), broker.bean(DeclarationStore.class));
        }

        @Override
        Accepted accept(
                UUID id,
                Queue queue,
                String consumer,
                @Nullable UUID nodeId,
                @Nullable Duration ttl,
                List<ThrottleDeclaration> throttles) {
            Accepted accepted = super.accept(id, queue, consumer, nodeId, ttl, throttles);
            onceAccepted.run();
            return accepted;
        }

        @Override
        Set<UUID> findOf(UUID nodeId) {
            Set<UUID> found = super.findOf(nodeId);
            onceLookedFor.run();
            return found;
        }
    }

    /** Takes nothing. */
    private static final class Sink implements DeliverySink {

        private volatile ProblemException end;

        @Override
        public int credit() {
            return 0;
        }

        @Override
        public boolean deliver(List<Delivery> deliveries) {
            return false;
        }

        @Override
        public void end(ProblemException reason) {
            end = reason;
        }
    }
}
