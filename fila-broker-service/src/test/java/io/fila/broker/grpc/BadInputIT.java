package io.fila.broker.grpc;

import java.util.Arrays;
import java.util.Collections;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.protocol.v1.DeclareQueueRequest;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.OutgoingMessage;
import io.fila.protocol.v1.QueueSettings;
import io.fila.protocol.v1.RetryPolicy;
import io.grpc.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a producer may get wrong over gRPC: it is told what, the log stays silent, and the broker goes on. */
class BadInputIT {

    private static final Duration LONGEST =
            Duration.newBuilder().setSeconds(Long.MAX_VALUE).build();
    private static final Duration NEGATIVE =
            Duration.newBuilder().setSeconds(-1).build();

    private static TestBroker broker;

    private RawClient client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
        broker.createQueue("orders");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() {
        client = new RawClient(broker.grpcPort());
    }

    @AfterEach
    void isUnimpressed() {
        try {
            OutgoingMessage good = OutgoingMessage.newBuilder()
                    .setPayload(ByteString.copyFromUtf8("good"))
                    .build();
            assertThat(client.messages()
                            .enqueue(EnqueueRequest.newBuilder()
                                    .setQueue("orders")
                                    .addMessages(good)
                                    .build())
                            .getResults(0)
                            .getDuplicate())
                    .isFalse();
            assertThat(client.complaints()).isEmpty();
        } finally {
            client.close();
        }
    }

    static Stream<Arguments> wrongMessages() {
        return Stream.of(
                wrong("id: expected a UUID, got 'abc'", message -> message.setId("abc")),
                wrong("payload_kind: expected", message -> message.setPayloadKindValue(7)),
                wrong("weight: expected 1 to 1000, got 1001", message -> message.setWeight(1001)),
                wrong("weight: expected 1 to 1000", message -> message.setWeight(-1)),
                wrong("delay: expected 0s to 365d, got PT-1S", message -> message.setDelay(NEGATIVE)),
                wrong("delay: expected 0s to 365d, got", message -> message.setDelay(LONGEST)),
                wrong("not_before: expected", message -> message.setNotBefore(moment(Long.MAX_VALUE))),
                wrong("notBefore: expected", message -> message.setNotBefore(moment(31_556_889_864_403_199L))),
                wrong("notBefore: expected", message -> message.setNotBefore(moment(-31_557_014_167_219_200L))),
                wrong("notBefore: expected", message -> message.setNotBefore(moment(-62_167_219_201L))),
                wrong(
                        "at most one of",
                        message -> message.setNotBefore(moment(0)).setDelay(Duration.newBuilder())),
                wrong("headers: expected at most 64, got 65", message -> {
                    for (int i = 0; i < 65; i++) {
                        message.putHeaders("h" + i, "");
                    }
                }),
                wrong("headers: expected at most 16384", message -> message.putHeaders("h", "x".repeat(16_384))),
                wrong("headers: expected a name", message -> message.putHeaders("", "x")),
                wrong("headers.a?b: expected", message -> message.putHeaders("a\0b", "x")),
                wrong("headers.h: expected", message -> message.putHeaders("h", "\0")),
                wrong("fairnessKey: expected", message -> message.setFairnessKey("\0")),
                wrong("fairnessKey: expected at most", message -> message.setFairnessKey("x".repeat(1_001))));
    }

    private static Arguments wrong(String said, Consumer<OutgoingMessage.Builder> flaw) {
        return arguments(said, flaw);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongMessages")
    void refusesAWrongMessage(String said, Consumer<OutgoingMessage.Builder> flaw) {
        OutgoingMessage.Builder message = OutgoingMessage.newBuilder();
        flaw.accept(message);
        assertRefused(enqueue("orders", message.build()), Status.Code.INVALID_ARGUMENT, "invalid-request", said);

        assertRefused(
                enqueue("orders", OutgoingMessage.getDefaultInstance(), message.build()),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "messages[1].");
    }

    @Test
    void refusesWhatIsTooLarge() {
        OutgoingMessage oneByteMore = message((1 << 20) + 1);
        assertRefused(
                enqueue("orders", oneByteMore), Status.Code.INVALID_ARGUMENT, "payload-too-large", "1048576 bytes");
        OutgoingMessage[] together = Collections.nCopies(33, message(1 << 20)).toArray(OutgoingMessage[]::new);
        assertRefused(enqueue("orders", together), Status.Code.INVALID_ARGUMENT, "payload-too-large", "33554432 bytes");
    }

    @Test
    void refusesTooFewAndTooManyMessages() {
        assertRefused(enqueue("orders"), Status.Code.INVALID_ARGUMENT, "invalid-request", "got 0");
        OutgoingMessage[] many = Collections.nCopies(10_001, OutgoingMessage.getDefaultInstance())
                .toArray(OutgoingMessage[]::new);
        assertRefused(enqueue("orders", many), Status.Code.INVALID_ARGUMENT, "invalid-request", "got 10001");
    }

    @Test
    void refusesQueuesThatAreNotThere() {
        OutgoingMessage message = OutgoingMessage.getDefaultInstance();
        assertRefused(enqueue("nowhere", message), Status.Code.NOT_FOUND, "queue-not-found", "'nowhere'");
        for (String name : Arrays.asList("", "a/b", "-a", "ä", "a b", "a\0", "x".repeat(201), ".dlq")) {
            assertRefused(enqueue(name, message), Status.Code.INVALID_ARGUMENT, "invalid-request", "queue: expected");
        }
    }

    static Stream<Arguments> wrongSettings() {
        return Stream.of(
                setting("visibilityTimeout", settings -> settings.setVisibilityTimeout(Duration.getDefaultInstance())),
                setting("visibilityTimeout", settings -> settings.setVisibilityTimeout(NEGATIVE)),
                setting("visibilityTimeout", settings -> settings.setVisibilityTimeout(LONGEST)),
                setting("maxBacklog", settings -> settings.setMaxBacklog(0)),
                setting("maxBacklog", settings -> settings.setMaxBacklog(-1)),
                retry("maxAttempts", retry -> retry.setMaxAttempts(0)),
                retry("maxAttempts", retry -> retry.setMaxAttempts(-1)),
                retry("initial", retry -> retry.setInitialBackoff(NEGATIVE)),
                retry("max", retry -> retry.setMaxBackoff(LONGEST)),
                retry("multiplier", retry -> retry.setMultiplier(Double.NaN)),
                retry("jitter", retry -> retry.setJitter(Double.POSITIVE_INFINITY)));
    }

    private static Arguments setting(String said, Consumer<QueueSettings.Builder> flaw) {
        return arguments(said, flaw);
    }

    private static Arguments retry(String said, Consumer<RetryPolicy.Builder> flaw) {
        return setting(said, settings -> flaw.accept(settings.getRetryBuilder()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongSettings")
    void refusesWrongSettings(String said, Consumer<QueueSettings.Builder> flaw) {
        DeclareQueueRequest.Builder request = DeclareQueueRequest.newBuilder().setQueue("orders");
        flaw.accept(request.getSettingsBuilder());
        assertRefused(declare(request), Status.Code.INVALID_ARGUMENT, "invalid-request", said);
    }

    @Test
    void refusesNamesForNewQueues() {
        assertRefused(
                declare(DeclareQueueRequest.newBuilder().setQueue("a/b")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "'a/b'");
        assertRefused(
                declare(DeclareQueueRequest.newBuilder().setQueue("orders.dlq")),
                Status.Code.INVALID_ARGUMENT,
                "reserved-name",
                "'orders.dlq'");
    }

    /** Was answered UNKNOWN without a code, and logged as an error of the broker's. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fila.v1.MessageService/Enqueue",
                "fila.v1.MessageService/ListMessages",
                "fila.v1.QueueService/ChangeQueue",
                "fila.v1.QueueService/DeclareQueue",
                "fila.v1.SubscriptionService/Subscribe",
                "grpc.health.v1.Health/Check"
            })
    void refusesBytesThatAreNoRequest(String method) {
        for (byte[] bytes : new byte[][] {{(byte) 0xff}, {0x0a, 0x7f, 'o'}, {0x0a, 0x02, (byte) 0xc3, 0x28}}) {
            assertRefused(
                    catchThrowable(() -> client.callRaw(method, bytes)),
                    Status.Code.INVALID_ARGUMENT,
                    "invalid-request",
                    "request: expected a message");
        }
    }

    private static Timestamp moment(long seconds) {
        return Timestamp.newBuilder().setSeconds(seconds).build();
    }

    private static OutgoingMessage message(int size) {
        return OutgoingMessage.newBuilder()
                .setPayload(ByteString.copyFrom(new byte[size]))
                .build();
    }

    private Throwable enqueue(String queue, OutgoingMessage... messages) {
        EnqueueRequest request = EnqueueRequest.newBuilder()
                .setQueue(queue)
                .addAllMessages(Arrays.asList(messages))
                .build();
        return catchThrowable(() -> client.messages().enqueue(request));
    }

    private Throwable declare(DeclareQueueRequest.Builder request) {
        return catchThrowable(() -> client.queues().declareQueue(request.build()));
    }
}
