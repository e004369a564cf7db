package io.fila.broker.grpc;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.protocol.v1.CancelMessageRequest;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResult;
import io.fila.protocol.v1.GetMessageRequest;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.Message;
import io.fila.protocol.v1.MessageState;
import io.fila.protocol.v1.OutgoingMessage;
import io.fila.protocol.v1.PayloadKind;
import io.grpc.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Messages over gRPC, as an administrator sees them. */
class MessageGrpcIT {

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
    void showsAMessageAsItWasSent() {
        Instant before = Instant.now().minusSeconds(60);
        String id = enqueue(
                queue,
                message("{\"amount\":1}")
                        .setPayloadKind(PayloadKind.PAYLOAD_KIND_JSON)
                        .putHeaders("customer", "acme")
                        .setFairnessKey("")
                        .setWeight(3)
                        .setDelay(Duration.newBuilder().setSeconds(3_600)));

        Message shown = get(id);

        assertThat(shown.getId()).isEqualTo(id);
        assertThat(shown.getQueue()).isEqualTo(queue);
        assertThat(shown.getState()).isEqualTo(MessageState.MESSAGE_STATE_DELAYED);
        assertThat(shown.getPayload().toStringUtf8()).isEqualTo("{\"amount\":1}");
        assertThat(shown.getPayloadKind()).isEqualTo(PayloadKind.PAYLOAD_KIND_JSON);
        assertThat(shown.getHeadersMap()).containsOnlyKeys("customer").containsValue("acme");
        assertThat(shown.hasFairnessKey()).isTrue();
        assertThat(shown.getWeight()).isEqualTo(3);
        assertThat(shown.getAttempts()).isZero();
        assertThat(shown.getFailuresList()).isEmpty();
        assertThat(shown.hasLeaseExpiresAt()).isFalse();
        assertThat(instant(shown.getEnqueuedAt())).isAfter(before);
        assertThat(instant(shown.getNotBefore())).isAfter(before.plusSeconds(3_600));
    }

    @Test
    void listsInOrderPageByPage() {
        List<String> ids = new ArrayList<>();
        IntStream.range(0, 5).forEach(i -> ids.add(enqueue(queue, message("" + i))));
        String delayed =
                enqueue(queue, message("later").setDelay(Duration.newBuilder().setSeconds(3_600)));

        ListMessagesResponse first = list(page -> page.setLimit(2));
        ListMessagesResponse second = list(page -> page.setLimit(2).setAfter(first.getNext()));
        ListMessagesResponse third = list(page -> page.setLimit(4).setAfter(second.getNext()));
        ListMessagesResponse ready = list(page -> page.setState(MessageState.MESSAGE_STATE_READY));

        assertThat(ids(first)).isEqualTo(ids.subList(0, 2));
        assertThat(ids(second)).isEqualTo(ids.subList(2, 4));
        assertThat(ids(third)).containsExactly(ids.get(4), delayed);
        assertThat(third.hasNext()).isFalse();
        assertThat(ids(ready)).isEqualTo(ids);
        assertThat(ids(list(page -> page.setState(MessageState.MESSAGE_STATE_DELAYED))))
                .containsExactly(delayed);
        assertThat(ids(list(page -> page.setState(MessageState.MESSAGE_STATE_LEASED))))
                .isEmpty();
    }

    @Test
    void listsFiftyUnlessItIsTold() {
        enqueueAll(
                queue, IntStream.range(0, 60).mapToObj(i -> message("" + i)).toArray(OutgoingMessage.Builder[]::new));

        assertThat(list(page -> {}).getMessagesCount()).isEqualTo(50);
        assertThat(list(page -> page.setLimit(1_000)).getMessagesCount()).isEqualTo(60);
    }

    /** As large as the page may be; the answer is larger than what gRPC takes unless it is told otherwise. */
    @Test
    void endsAPageOfLargeMessagesEarly() {
        OutgoingMessage.Builder large = OutgoingMessage.newBuilder().setPayload(ByteString.copyFrom(new byte[1 << 20]));
        OutgoingMessage.Builder[] six = new OutgoingMessage.Builder[6];
        Arrays.fill(six, large);
        enqueueAll(queue, six);

        ListMessagesResponse first = list(page -> {});

        assertThat(first.getMessagesCount()).isEqualTo(4);
        assertThat(list(page -> page.setAfter(first.getNext())).getMessagesCount())
                .isEqualTo(2);
    }

    static Stream<Arguments> wrongPages() {
        return Stream.of(
                wrong("limit: expected 1 to 1000, got 1001", page -> page.setLimit(1_001)),
                wrong("limit: expected 1 to 1000", page -> page.setLimit(-1)),
                wrong("after: expected the 'next' of the page before, got 'no-such'", page -> page.setAfter("no-such")),
                wrong("after: expected", page -> page.setAfter("")),
                wrong(
                        "state: expected ready (1), delayed (2), unclassified (3) or leased (4), got 9",
                        page -> page.setStateValue(9)),
                wrong(
                        "state: expected ready, delayed, leased or unclassified; throttled",
                        page -> page.setState(MessageState.MESSAGE_STATE_THROTTLED)),
                wrong("queue: expected 1 to 200 letters", page -> page.setQueue("a b")));
    }

    private static Arguments wrong(String said, Consumer<ListMessagesRequest.Builder> flaw) {
        return arguments(said, flaw);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongPages")
    void refusesAWrongPage(String said, Consumer<ListMessagesRequest.Builder> flaw) {
        assertRefused(catchThrowable(() -> list(flaw)), Status.Code.INVALID_ARGUMENT, "invalid-request", said);
    }

    @Test
    void refusesWhatIsNotThereOrCannotBe() {
        assertRefused(
                catchThrowable(() -> list(page -> page.setQueue("nowhere"))),
                Status.Code.NOT_FOUND,
                "queue-not-found",
                "'nowhere'");
        String unknown = UUID.randomUUID().toString();
        for (Consumer<String> call : List.<Consumer<String>>of(this::get, id -> cancel(id, null))) {
            assertRefused(
                    catchThrowable(() -> call.accept(unknown)), Status.Code.NOT_FOUND, "message-not-found", unknown);
            assertRefused(
                    catchThrowable(() -> call.accept("1-1-1-1-1")),
                    Status.Code.INVALID_ARGUMENT,
                    "invalid-request",
                    "id: expected a UUID, got '1-1-1-1-1'");
        }
        assertRefused(
                catchThrowable(() -> cancel(unknown, "")), Status.Code.INVALID_ARGUMENT, "invalid-request", "queue: ");
    }

    @Test
    void cancelsWhatIsNotInFlight() {
        String waiting = enqueue(queue, message("x"));
        cancel(waiting, null);
        assertThat(catchThrowable(() -> get(waiting))).hasMessageContaining(waiting);

        String leased = enqueue(queue, message("y"));
        try (RecordingConsumer consumer = RecordingConsumer.subscribe(broker, QueueName.of(queue), 1, false)) {
            await().until(() -> consumer.count() == 1);
            assertRefused(
                    catchThrowable(() -> cancel(leased, null)),
                    Status.Code.FAILED_PRECONDITION,
                    "message-leased",
                    leased);
            assertThat(get(leased).getState()).isEqualTo(MessageState.MESSAGE_STATE_LEASED);
            assertThat(get(leased).hasLeaseExpiresAt()).isTrue();
            assertThat(get(leased).getAttempts()).isEqualTo(1);
        }
    }

    @Test
    void cancelsInOneQueueOnly() {
        String id = UUID.randomUUID().toString();
        String other = "other-" + queue;
        broker.createQueue(other);
        enqueue(queue, message("x").setId(id));
        enqueue(other, message("x").setId(id));

        assertRefused(
                catchThrowable(() -> cancel(id, null)),
                Status.Code.FAILED_PRECONDITION,
                "message-ambiguous",
                "'" + other + "'");
        cancel(id, queue);

        assertThat(get(id).getQueue()).isEqualTo(other);
        cancel(id, null);
    }

    private Message get(String id) {
        return client.messages()
                .getMessage(GetMessageRequest.newBuilder().setId(id).build())
                .getMessage();
    }

    private ListMessagesResponse list(Consumer<ListMessagesRequest.Builder> page) {
        ListMessagesRequest.Builder request = ListMessagesRequest.newBuilder().setQueue(queue);
        page.accept(request);
        return client.messages().withMaxInboundMessageSize(64 << 20).listMessages(request.build());
    }

    private static List<String> ids(ListMessagesResponse page) {
        return page.getMessagesList().stream().map(Message::getId).toList();
    }

    private void cancel(String id, String queueOrNull) {
        CancelMessageRequest.Builder request = CancelMessageRequest.newBuilder().setId(id);
        if (queueOrNull != null) {
            request.setQueue(queueOrNull);
        }
        client.messages().cancelMessage(request.build());
    }

    private String enqueue(String queue, OutgoingMessage.Builder message) {
        return enqueueAll(queue, message).get(0);
    }

    private List<String> enqueueAll(String queue, OutgoingMessage.Builder... messages) {
        EnqueueRequest.Builder request = EnqueueRequest.newBuilder().setQueue(queue);
        Arrays.stream(messages).forEach(request::addMessages);
        return client.messages().enqueue(request.build()).getResultsList().stream()
                .map(EnqueueResult::getId)
                .toList();
    }

    private static OutgoingMessage.Builder message(String payload) {
        return OutgoingMessage.newBuilder().setPayload(ByteString.copyFromUtf8(payload));
    }

    private static Instant instant(com.google.protobuf.Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
