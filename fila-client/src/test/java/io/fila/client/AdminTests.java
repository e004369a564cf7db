package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.fila.client.QueueSpec.Ordering.WhenKeyMissing;
import io.fila.client.QueueStats.ThrottleInForce;
import io.fila.protocol.v1.CancelMessageRequest;
import io.fila.protocol.v1.CancelMessageResponse;
import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.ChangeQueueResponse;
import io.fila.protocol.v1.DeleteQueueRequest;
import io.fila.protocol.v1.DeleteQueueResponse;
import io.fila.protocol.v1.Failure;
import io.fila.protocol.v1.GetMessageResponse;
import io.fila.protocol.v1.GetQueueRequest;
import io.fila.protocol.v1.GetQueueResponse;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.ListQueuesResponse;
import io.fila.protocol.v1.PauseQueueRequest;
import io.fila.protocol.v1.PauseQueueResponse;
import io.fila.protocol.v1.PayloadKind;
import io.fila.protocol.v1.PurgeQueueResponse;
import io.fila.protocol.v1.Queue;
import io.fila.protocol.v1.RedriveQueueRequest;
import io.fila.protocol.v1.RedriveQueueResponse;
import io.fila.protocol.v1.ResumeQueueRequest;
import io.fila.protocol.v1.ResumeQueueResponse;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AdminTests {

    private static final Instant NOON = Instant.parse("2030-01-31T12:00:00.000001Z");
    private static final QueueSpec ORDERS = QueueSpec.builder("orders")
            .visibilityTimeout(Duration.ofSeconds(30))
            .retry(new QueueSpec.Retry(3, Duration.ofMillis(500), 2.0, Duration.ofMinutes(1), 0.1))
            .maxBacklog(1_000)
            .ordering(new QueueSpec.Ordering(List.of("header:account"), WhenKeyMissing.UNORDERED))
            .deliveryDurability(DeliveryDurability.FAST)
            .deadLetterRetention(Duration.ofDays(14))
            .build();

    private final FakeBroker broker = FakeBroker.start();
    private final FilaClient client = broker.client().build();
    private final FilaAdmin admin = client.admin();

    @AfterEach
    void close() {
        client.close();
        broker.close();
    }

    @Test
    void declaresQueuesAsTheClientDoes() {
        assertThat(admin.declare(ORDERS)).isTrue();
        assertThat(broker.queues.declared).containsExactly(ToProtocol.queue(ORDERS));
    }

    @Test
    void showsAQueueWithSettingsAndStats() {
        Queue.Builder queue = queue(ORDERS);
        queue.getStatsBuilder()
                .setReady(1)
                .setDelayed(2)
                .setThrottled(3)
                .setLeased(4)
                .setUnclassified(5)
                .setDeadLettered(6)
                .setOldestReadyAt(timestamp(NOON))
                .setSubscribers(7)
                .addThrottlesBuilder()
                .setSubscribers(2)
                .getThrottleBuilder()
                .setName("stripe")
                .addLimits("60/1m")
                .addKey("header:customer")
                .setWhenKeyMissing(io.fila.protocol.v1.MissingKey.MISSING_KEY_UNTHROTTLED);
        answer(GetQueueResponse.newBuilder().setQueue(queue.setPaused(true)).build());

        QueueDescription shown = admin.queue("orders");

        assertThat(asked(GetQueueRequest.class).getQueue()).isEqualTo("orders");
        assertThat(shown.name()).isEqualTo("orders");
        assertThat(shown.settings()).isEqualTo(ORDERS);
        assertThat(shown.paused()).isTrue();
        ThrottleSpec stripe =
                new ThrottleSpec("stripe", List.of("60/1m"), List.of("header:customer"), MissingKey.UNTHROTTLED);
        assertThat(shown.stats())
                .isEqualTo(new QueueStats(
                        1, 2, 3, 4, 5, 6, NOON, null, 7, List.of(new ThrottleInForce(stripe, 2)), List.of()));
        assertThat(admin.queueStats("orders")).isEqualTo(shown.stats());
    }

    @Test
    void listsQueues() {
        answer(ListQueuesResponse.newBuilder()
                .addQueues(queue(ORDERS))
                .addQueues(queue(QueueSpec.of("reports")))
                .build());

        List<QueueDescription> queues = admin.queues();

        assertThat(queues).extracting(QueueDescription::name).containsExactly("orders", "reports");
        assertThat(queues.get(1).settings().maxBacklog()).isNull();
        assertThat(queues.get(1).settings().ordering()).isNull();
        assertThat(queues.get(1).settings().deadLetterRetention()).isNull();
    }

    @Test
    void changesWhatIsGivenOnly() {
        answer(ChangeQueueResponse.newBuilder().setQueue(queue(ORDERS)).build());

        QueueSpec changed = admin.change(
                "orders",
                QueueChange.builder()
                        .retry(new QueueSpec.Retry(3, null, null, null, null))
                        .withoutMaxBacklog()
                        .deadLetterRetention(Duration.ofDays(14))
                        .build());

        assertThat(changed).isEqualTo(ORDERS);
        ChangeQueueRequest asked = asked(ChangeQueueRequest.class);
        assertThat(asked.getQueue()).isEqualTo("orders");
        assertThat(asked.getRemoveMaxBacklog()).isTrue();
        assertThat(asked.getRemoveDeadLetterRetention()).isFalse();
        assertThat(asked.getSettings().hasMaxBacklog()).isFalse();
        assertThat(asked.getSettings().hasVisibilityTimeout()).isFalse();
        assertThat(asked.getSettings().hasDeliveryDurability()).isFalse();
        assertThat(asked.getSettings().getRetry().getMaxAttempts()).isEqualTo(3);
        assertThat(asked.getSettings().getRetry().hasMaxBackoff()).isFalse();
        assertThat(asked.getSettings().getDeadLetterRetention().getSeconds()).isEqualTo(14 * 24 * 3_600);
    }

    @Test
    void pausesAndResumes() {
        broker.administration.answer = request -> request instanceof PauseQueueRequest
                ? PauseQueueResponse.getDefaultInstance()
                : ResumeQueueResponse.getDefaultInstance();

        admin.pause("orders");
        assertThat(asked(PauseQueueRequest.class).getQueue()).isEqualTo("orders");
        admin.resume("orders");
        assertThat(asked(ResumeQueueRequest.class).getQueue()).isEqualTo("orders");
    }

    @Test
    void purgesAndDeletes() {
        answer(PurgeQueueResponse.newBuilder().setPurged(12).build());
        assertThat(admin.purge("orders")).isEqualTo(12);

        answer(DeleteQueueResponse.getDefaultInstance());
        admin.delete("orders", true);
        assertThat(asked(DeleteQueueRequest.class).getForce()).isTrue();
        admin.delete("orders", false);
        assertThat(asked(DeleteQueueRequest.class).getForce()).isFalse();
    }

    @Test
    void redrives() {
        RedriveQueueResponse.Builder response =
                RedriveQueueResponse.newBuilder().setMoved(9);
        response.getKeptBuilder()
                .setUnclassified(1)
                .setRejected(2)
                .setLeased(3)
                .setDelayed(4)
                .setReady(5);
        answer(response.build());

        assertThat(admin.redrive("orders", 10, Reclassify.UNCLASSIFIED))
                .isEqualTo(new RedriveResult(9, new RedriveResult.Kept(1, 2, 3, 4, 5)));

        assertThat(asked(RedriveQueueRequest.class))
                .isEqualTo(RedriveQueueRequest.newBuilder()
                        .setQueue("orders")
                        .setCount(10)
                        .setReclassify(io.fila.protocol.v1.Reclassify.RECLASSIFY_UNCLASSIFIED)
                        .build());
    }

    @Test
    void showsAMessage() {
        answer(GetMessageResponse.newBuilder()
                .setMessage(io.fila.protocol.v1.Message.newBuilder()
                        .setId("a")
                        .setQueue("orders")
                        .setState(io.fila.protocol.v1.MessageState.MESSAGE_STATE_DELAYED)
                        .setPayload(ByteString.copyFromUtf8("{}"))
                        .setPayloadKind(PayloadKind.PAYLOAD_KIND_JSON)
                        .putHeaders("customer", "acme")
                        .setFairnessKey("")
                        .setWeight(2)
                        .putAttributes("tier", "gold")
                        .setAttempts(1)
                        .setRedrives(3)
                        .setEnqueuedAt(timestamp(NOON))
                        .setNotBefore(timestamp(NOON.plusSeconds(60)))
                        .setDeadLetteredAt(timestamp(NOON.minusSeconds(60)))
                        .addFailures(Failure.newBuilder()
                                .setAttempt(1)
                                .setReason("nack")
                                .setError("no")
                                .setAt(timestamp(NOON))))
                .build());

        StoredMessage shown = admin.message("a");

        assertThat(shown.payload().asText()).isEqualTo("{}");
        assertThat(shown.payload().kind()).isEqualTo(Payload.Kind.JSON);
        assertThat(shown)
                .isEqualTo(new StoredMessage(
                        "a",
                        "orders",
                        MessageState.DELAYED,
                        shown.payload(),
                        Map.of("customer", "acme"),
                        "",
                        2,
                        Map.of("tier", "gold"),
                        1,
                        3,
                        NOON,
                        NOON.plusSeconds(60),
                        null,
                        NOON.minusSeconds(60),
                        List.of(new StoredMessage.Failure(1, "nack", "no", null, NOON))));
    }

    @Test
    void listsMessagesPageByPage() {
        broker.administration.answer = request -> {
            boolean isFirst = !((ListMessagesRequest) request).hasAfter();
            ListMessagesResponse.Builder page = ListMessagesResponse.newBuilder();
            page.addMessagesBuilder().setId(isFirst ? "a" : "b").setStateValue(99);
            return isFirst ? page.setNext("1z").build() : page.build();
        };

        MessageQuery query = MessageQuery.all().state(MessageState.READY).limit(1);
        Page first = admin.messages("orders", query);
        Page second = admin.messages("orders", query.after(first.next()));

        assertThat(first.isLast()).isFalse();
        assertThat(first.messages()).extracting(StoredMessage::id).containsExactly("a");
        assertThat(first.messages()).extracting(StoredMessage::state).containsExactly(MessageState.UNKNOWN);
        assertThat(second.isLast()).isTrue();
        assertThat(asked(ListMessagesRequest.class))
                .isEqualTo(ListMessagesRequest.newBuilder()
                        .setQueue("orders")
                        .setState(io.fila.protocol.v1.MessageState.MESSAGE_STATE_READY)
                        .setLimit(1)
                        .setAfter("1z")
                        .build());
    }

    @Test
    void cancelsMessages() {
        answer(CancelMessageResponse.getDefaultInstance());

        admin.cancel("a");
        assertThat(asked(CancelMessageRequest.class).hasQueue()).isFalse();
        admin.cancel("a", "orders");
        assertThat(asked(CancelMessageRequest.class).getQueue()).isEqualTo("orders");
    }

    @Test
    void failsWithTheBrokersCodeAndWhatWasToBeDone() {
        broker.administration.answer = request -> {
            throw FakeBroker.problem(Status.Code.FAILED_PRECONDITION, "queue-not-empty", "queue: holds messages");
        };

        assertThatThrownBy(() -> admin.delete("orders", false))
                .isInstanceOfSatisfying(FilaException.class, problem -> {
                    assertThat(problem.code()).isEqualTo("queue-not-empty");
                    assertThat(problem.isRetryable()).isFalse();
                })
                .hasMessage("could not delete queue 'orders': queue: holds messages");
    }

    /** An older one. */
    @Test
    void saysSoIfTheBrokerDoesNotKnowTheCall() {
        broker.administration.answer = request -> {
            throw Status.UNIMPLEMENTED.withDescription("no such method").asRuntimeException();
        };

        assertThatThrownBy(() -> admin.purge("orders"))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("broker-error"))
                .hasMessageContainingAll("could not purge queue 'orders'", "UNIMPLEMENTED");
    }

    @Test
    void failsWithoutABrokerAndWhenTheClientIsClosed() {
        List<Consumer<FilaAdmin>> calls = List.of(
                FilaAdmin::queues,
                any -> any.queue("orders"),
                any -> any.pause("orders"),
                any -> any.message("a"),
                any -> any.cancel("a"));
        broker.stop();
        assertThat(calls).allSatisfy(call -> assertFails(call, "broker-unreachable"));
        client.close();
        assertThat(calls).allSatisfy(call -> assertFails(call, "client-closed"));
    }

    @Test
    void refusesWhatCannotBeRight() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> admin.redrive("orders", 0, Reclassify.ALL))
                .withMessageContaining("count is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageQuery.all().limit(1_001))
                .withMessageContaining("limit must be 1 to 1000, but was 1001");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MessageQuery.all().state(MessageState.THROTTLED))
                .withMessageContaining("THROTTLED");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new QueueChange(null, null, 5L, true, null, null, false, null, false, false))
                .withMessageContaining("maxBacklog must be either given or removed");
        assertThat(broker.administration.requests).isEmpty();
    }

    private void assertFails(Consumer<FilaAdmin> call, String code) {
        assertThatThrownBy(() -> call.accept(admin))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo(code));
    }

    private void answer(Message response) {
        broker.administration.answer = request -> response;
    }

    private <T extends Message> T asked(Class<T> type) {
        return type.cast(broker.administration.last());
    }

    private static Queue.Builder queue(QueueSpec spec) {
        return Queue.newBuilder()
                .setName(spec.name())
                .setSettings(ToProtocol.queue(spec).getSettings());
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
