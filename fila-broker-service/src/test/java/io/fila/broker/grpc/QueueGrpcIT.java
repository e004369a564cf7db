package io.fila.broker.grpc;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.google.protobuf.Duration;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.MissingKey;
import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.DeclareQueueRequest;
import io.fila.protocol.v1.DeleteQueueRequest;
import io.fila.protocol.v1.DeliveryDurability;
import io.fila.protocol.v1.GetQueueRequest;
import io.fila.protocol.v1.ListQueuesRequest;
import io.fila.protocol.v1.Ordering;
import io.fila.protocol.v1.OrderingKeyMissing;
import io.fila.protocol.v1.PauseQueueRequest;
import io.fila.protocol.v1.PurgeQueueRequest;
import io.fila.protocol.v1.Queue;
import io.fila.protocol.v1.QueueServiceGrpc.QueueServiceBlockingStub;
import io.fila.protocol.v1.QueueSettings;
import io.fila.protocol.v1.QueueStats;
import io.fila.protocol.v1.ResumeQueueRequest;
import io.fila.protocol.v1.RetryPolicy;
import io.fila.protocol.v1.ScriptFailurePolicy;
import io.fila.protocol.v1.Throttle;
import io.fila.protocol.v1.ThrottleInForce;
import io.fila.protocol.v1.WhenScriptFails;
import io.grpc.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.fila.broker.RecordingConsumer.throttle;
import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Queues over gRPC. */
class QueueGrpcIT {

    private static TestBroker broker;

    private final String queue = "q-" + UUID.randomUUID();
    private RawClient client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() {
        client = new RawClient(broker.grpcPort());
        broker.createQueue(queue);
    }

    @AfterEach
    void disconnect() {
        assertThat(client.complaints()).isEmpty();
        client.close();
    }

    @Test
    void showsASettingAsItWasDeclared() {
        String ordered = "ordered-" + queue;
        QueueSettings settings = QueueSettings.newBuilder()
                .setVisibilityTimeout(seconds(45))
                .setRetry(RetryPolicy.newBuilder()
                        .setMaxAttempts(7)
                        .setInitialBackoff(seconds(2))
                        .setMultiplier(1.5)
                        .setMaxBackoff(seconds(90))
                        .setJitter(0.25))
                .setMaxBacklog(1_000)
                .setOrdering(Ordering.newBuilder()
                        .addKey("header:account")
                        .setWhenKeyMissing(OrderingKeyMissing.ORDERING_KEY_MISSING_UNORDERED))
                .setDeliveryDurability(DeliveryDurability.DELIVERY_DURABILITY_FAST)
                .setOnEnqueue("function on_enqueue(msg) end")
                .setOnFailure("function on_failure(msg) end")
                .setWhenScriptFails(WhenScriptFails.newBuilder()
                        .setPolicy(ScriptFailurePolicy.SCRIPT_FAILURE_POLICY_PARK)
                        .setDeadLetterAfter(5))
                .setDeadLetterRetention(seconds(3_600))
                .build();
        client.queues()
                .declareQueue(DeclareQueueRequest.newBuilder()
                        .setQueue(ordered)
                        .setSettings(settings)
                        .build());

        Queue shown = get(ordered);

        assertThat(shown.getName()).isEqualTo(ordered);
        assertThat(shown.getSettings()).isEqualTo(settings);
        assertThat(shown.getPaused()).isFalse();
    }

    @Test
    void showsWhatIsNotSetAsAbsent() {
        QueueSettings plain = get(queue).getSettings();

        assertThat(plain.getVisibilityTimeout()).isEqualTo(seconds(30));
        assertThat(plain.getRetry().getMaxAttempts()).isEqualTo(3);
        assertThat(plain.getDeliveryDurability()).isEqualTo(DeliveryDurability.DELIVERY_DURABILITY_COMMITTED);
        assertThat(plain.hasMaxBacklog()).isFalse();
        assertThat(plain.hasOrdering()).isFalse();
        assertThat(plain.hasDeadLetterRetention()).isFalse();
    }

    @Test
    void showsAndListsQueuesWithStats() {
        broker.enqueue(QueueName.of(queue), 3, Map.of());
        String throttle = "t-" + queue;
        try (RecordingConsumer consumer = RecordingConsumer.subscribe(
                broker,
                QueueName.of(queue),
                0,
                false,
                throttle(throttle, List.of("header:customer"), MissingKey.UNTHROTTLED, "2/1h"))) {
            assertThat(consumer.end()).isNull();
            await().untilAsserted(() -> {
                QueueStats stats = get(queue).getStats();
                assertThat(stats.getReady()).isEqualTo(3);
                assertThat(stats.hasOldestReadyAt()).isTrue();
                assertThat(stats.hasOldestUnclassifiedAt()).isFalse();
                assertThat(stats.getSubscribers()).isEqualTo(1);
                assertThat(stats.getThrottlesList())
                        .containsExactly(ThrottleInForce.newBuilder()
                                .setThrottle(Throttle.newBuilder()
                                        .setName(throttle)
                                        .addLimits("2/1h")
                                        .addKey("header:customer")
                                        .setWhenKeyMissing(io.fila.protocol.v1.MissingKey.MISSING_KEY_UNTHROTTLED))
                                .setSubscribers(1)
                                .build());
            });
            assertThat(list())
                    .filteredOn(Queue::getName, queue)
                    .singleElement()
                    .satisfies(
                            listed -> assertThat(listed.getStats().getReady()).isEqualTo(3));
        }
        assertThat(list()).extracting(Queue::getName).isSorted().doesNotContain(queue + ".dlq");
        assertThat(get(queue + ".dlq").getName()).isEqualTo(queue + ".dlq");
    }

    @Test
    void changesWhatIsGivenAndLeavesTheRest() {
        change(settings -> settings.setMaxBacklog(5).setDeadLetterRetention(seconds(3_600)));
        Queue changed = change(settings -> settings.getRetryBuilder().setMaxAttempts(7));

        assertThat(changed.getSettings().getMaxBacklog()).isEqualTo(5);
        assertThat(changed.getSettings().getDeadLetterRetention()).isEqualTo(seconds(3_600));
        assertThat(changed.getSettings().getRetry().getMaxAttempts()).isEqualTo(7);
        assertThat(changed.getSettings().getRetry().getInitialBackoff()).isEqualTo(seconds(1));
        assertThat(changed.hasStats()).isFalse();
        assertThat(change(settings -> {})).isEqualTo(changed);
    }

    @Test
    void takesAwayWhatCanBeAbsent() {
        change(settings -> settings.setMaxBacklog(5).setDeadLetterRetention(seconds(3_600)));

        Queue changed = client.queues()
                .changeQueue(ChangeQueueRequest.newBuilder()
                        .setQueue(queue)
                        .setRemoveMaxBacklog(true)
                        .setRemoveDeadLetterRetention(true)
                        .build())
                .getQueue();

        assertThat(changed.getSettings().hasMaxBacklog()).isFalse();
        assertThat(changed.getSettings().hasDeadLetterRetention()).isFalse();
        assertThat(get(queue).getSettings()).isEqualTo(changed.getSettings());
    }

    static Stream<Arguments> wrongChanges() {
        return Stream.of(
                wrong(
                        "visibilityTimeout: expected 1s to 12h, got 0s",
                        change -> change.getSettingsBuilder().setVisibilityTimeout(seconds(0))),
                wrong(
                        "maxBacklog: expected at least 1, got 0",
                        change -> change.getSettingsBuilder().setMaxBacklog(0)),
                wrong(
                        "retry.maxAttempts: expected 1 to 1000, got 1001",
                        change -> change.getSettingsBuilder().getRetryBuilder().setMaxAttempts(1_001)),
                wrong(
                        "delivery_durability: expected committed (0) or fast (1), got 7",
                        change -> change.getSettingsBuilder().setDeliveryDurabilityValue(7)),
                wrong(
                        "deadLetterRetention: expected 1m to 3650d, got 1s",
                        change -> change.getSettingsBuilder().setDeadLetterRetention(seconds(1))),
                wrong(
                        "ordering.when_key_missing: expected reject (0) or unordered (1), got 7",
                        change ->
                                change.getSettingsBuilder().getOrderingBuilder().setWhenKeyMissingValue(7)),
                wrong(
                        "remove_max_backlog: expected at most one of settings.max_backlog and remove_max_backlog, got both",
                        change -> change.setRemoveMaxBacklog(true)
                                .getSettingsBuilder()
                                .setMaxBacklog(1)),
                wrong(
                        "remove_dead_letter_retention: expected at most one of",
                        change -> change.setRemoveDeadLetterRetention(true)
                                .getSettingsBuilder()
                                .setDeadLetterRetention(seconds(60))),
                wrong("queue: expected 1 to 200 letters", change -> change.setQueue("a/b")));
    }

    private static Arguments wrong(String said, Consumer<ChangeQueueRequest.Builder> flaw) {
        return arguments(said, flaw);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongChanges")
    void refusesAWrongChange(String said, Consumer<ChangeQueueRequest.Builder> flaw) {
        ChangeQueueRequest.Builder request = ChangeQueueRequest.newBuilder().setQueue(queue);
        flaw.accept(request);

        assertRefused(
                catchThrowable(() -> client.queues().changeQueue(request.build())),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                said);
    }

    @Test
    void refusesToChangeWhatIsFixed() {
        Throwable refused = catchThrowable(
                () -> change(settings -> settings.getOrderingBuilder().addKey("header:account")));

        assertRefused(refused, Status.Code.FAILED_PRECONDITION, "immutable-setting", "ordering: is fixed");
    }

    @Test
    void deliversNothingOfAPausedQueueUntilItResumes() {
        assertThat(client.queues()
                        .pauseQueue(
                                PauseQueueRequest.newBuilder().setQueue(queue).build())
                        .getQueue()
                        .getPaused())
                .isTrue();
        assertThat(get(queue).getPaused()).isTrue();
        try (RecordingConsumer consumer = RecordingConsumer.subscribe(broker, QueueName.of(queue))) {
            broker.enqueue(QueueName.of(queue), 1, Map.of());

            assertThat(client.queues()
                            .resumeQueue(ResumeQueueRequest.newBuilder()
                                    .setQueue(queue)
                                    .build())
                            .getQueue()
                            .getPaused())
                    .isFalse();

            await().until(() -> consumer.count() == 1);
        }
    }

    @Test
    void purgesAndDeletes() {
        broker.enqueue(QueueName.of(queue), 3, Map.of());
        assertRefused(
                catchThrowable(() -> delete(queue, false)),
                Status.Code.FAILED_PRECONDITION,
                "queue-not-empty",
                "'" + queue + "'");
        PurgeQueueRequest purge = PurgeQueueRequest.newBuilder().setQueue(queue).build();
        assertThat(client.queues().purgeQueue(purge).getPurged()).isEqualTo(3);
        assertThat(client.queues().purgeQueue(purge).getPurged()).isZero();
        broker.enqueue(QueueName.of(queue), 1, Map.of());

        delete(queue, true);

        assertRefused(catchThrowable(() -> get(queue)), Status.Code.NOT_FOUND, "queue-not-found", "'" + queue + "'");
        assertRefused(
                catchThrowable(() -> delete("orders.dlq", true)), Status.Code.NOT_FOUND, "queue-not-found", "orders");
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                call(
                        "get",
                        (stub, name) -> stub.getQueue(
                                GetQueueRequest.newBuilder().setQueue(name).build())),
                call(
                        "change",
                        (stub, name) -> stub.changeQueue(
                                ChangeQueueRequest.newBuilder().setQueue(name).build())),
                call(
                        "pause",
                        (stub, name) -> stub.pauseQueue(
                                PauseQueueRequest.newBuilder().setQueue(name).build())),
                call(
                        "resume",
                        (stub, name) -> stub.resumeQueue(
                                ResumeQueueRequest.newBuilder().setQueue(name).build())),
                call(
                        "purge",
                        (stub, name) -> stub.purgeQueue(
                                PurgeQueueRequest.newBuilder().setQueue(name).build())),
                call(
                        "delete",
                        (stub, name) -> stub.deleteQueue(
                                DeleteQueueRequest.newBuilder().setQueue(name).build())));
    }

    /** A call about the queue of a name. */
    private interface Call {
        void on(QueueServiceBlockingStub stub, String name);
    }

    private static Arguments call(String name, Call call) {
        return arguments(name, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void refusesQueuesThatAreNotThereOrCannotBe(String name, Call call) {
        assertRefused(
                catchThrowable(() -> call.on(client.queues(), "nowhere")),
                Status.Code.NOT_FOUND,
                "queue-not-found",
                "queue: there is no queue 'nowhere'");
        assertRefused(
                catchThrowable(() -> call.on(client.queues(), "")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "queue: expected 1 to 200 letters");
    }

    private Queue get(String name) {
        return client.queues()
                .getQueue(GetQueueRequest.newBuilder().setQueue(name).build())
                .getQueue();
    }

    private List<Queue> list() {
        return client.queues()
                .listQueues(ListQueuesRequest.getDefaultInstance())
                .getQueuesList();
    }

    private Queue change(Consumer<QueueSettings.Builder> settings) {
        ChangeQueueRequest.Builder request = ChangeQueueRequest.newBuilder().setQueue(queue);
        settings.accept(request.getSettingsBuilder());
        return client.queues().changeQueue(request.build()).getQueue();
    }

    private void delete(String name, boolean force) {
        client.queues()
                .deleteQueue(DeleteQueueRequest.newBuilder()
                        .setQueue(name)
                        .setForce(force)
                        .build());
    }

    private static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }
}
