package io.fila.broker.grpc;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Lease;
import io.fila.broker.message.MessageView;
import io.fila.broker.message.Messages;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Stats;
import io.fila.protocol.v1.Delivery;
import io.fila.protocol.v1.Extend;
import io.fila.protocol.v1.Nack;
import io.fila.protocol.v1.Settled;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.Subscription;
import io.fila.protocol.v1.Throttle;
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
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What a consumer may get wrong over gRPC: it is told why, its stream ends if need be, the log stays silent, and the broker goes on. */
class BadFramesIT {

    private static final com.google.protobuf.Duration LONGEST =
            com.google.protobuf.Duration.newBuilder().setSeconds(Long.MAX_VALUE).build();
    private static final com.google.protobuf.Duration OVERFLOWING =
            LONGEST.toBuilder().setNanos(Integer.MAX_VALUE).build();
    private static final com.google.protobuf.Duration NEGATIVE =
            com.google.protobuf.Duration.newBuilder().setSeconds(-1).build();

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
            RawClient.Stream good = accepted();
            good.finish();
            assertThat(good.end()).isNull();
            assertThat(client.complaints()).isEmpty();
        } finally {
            client.close();
        }
    }

    static Stream<Arguments> wrongThrottles() {
        return Stream.of(
                throttle("throttles[0].name: expected", throttle -> throttle.setName("a b")),
                throttle("throttles[0].limits: expected 1 to 10", throttle -> throttle.clearLimits()),
                throttle("got '0/1s'", throttle -> throttle.setLimits(0, "0/1s")),
                throttle("got '-5/1s'", throttle -> throttle.setLimits(0, "-5/1s")),
                throttle("throttles[0].limits: expected N/W", throttle -> throttle.setLimits(0, "5 per second")),
                throttle("throttles[0].limits: expected", throttle -> throttle.setLimits(0, "5/0s")),
                throttle(
                        "throttles[0].limits: expected 1ms to 31d, got 40d",
                        throttle -> throttle.setLimits(0, "5/40d")),
                throttle("throttles[0].limits: expected", throttle -> throttle.setLimits(0, "5/999999999999999m")),
                throttle(
                        "throttles[0].limits: expected", throttle -> throttle.setLimits(0, "5/PT9223372036854775807S")),
                throttle("whole milliseconds", throttle -> throttle.setLimits(0, "5/PT0.0015S")),
                throttle("throttles[0].key: expected header:NAME", throttle -> throttle.addKey("headers:a")),
                throttle("throttles[0].key: expected header:NAME", throttle -> throttle.addKey("header:")),
                throttle("throttles[0].key: expected", throttle -> throttle.addKey("header:a\0b")),
                throttle(
                        "given twice",
                        throttle -> throttle.addKey("fairnessKey").addKey("fairnessKey")),
                throttle(
                        "at most 8 components, got 9",
                        throttle -> IntStream.range(0, 9).forEach(i -> throttle.addKey("header:" + i))),
                throttle("when_key_missing: expected", throttle -> throttle.setWhenKeyMissingValue(9)));
    }

    private static Arguments throttle(String said, Consumer<Throttle.Builder> flaw) {
        return arguments(said, flaw);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongThrottles")
    void refusesAWrongThrottle(String said, Consumer<Throttle.Builder> flaw) {
        Throttle.Builder throttle = Throttle.newBuilder().setName("t").addLimits("10/1s");
        flaw.accept(throttle);
        assertRefused(
                open(subscription().addThrottles(throttle)).end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                said);
    }

    @Test
    void refusesLimitsThatNeverBind() {
        for (String other : new String[] {"20/1s", "10/1s", "600/1m", "5/1m"}) {
            Throttle.Builder throttle =
                    Throttle.newBuilder().setName("stripe").addLimits("10/1s").addLimits(other);
            assertRefused(
                    open(subscription().addThrottles(throttle)).end(),
                    Status.Code.INVALID_ARGUMENT,
                    "limit-never-binds",
                    "'stripe'");
        }
    }

    @Test
    void refusesOneThrottleTwiceAndTooMany() {
        Throttle throttle =
                Throttle.newBuilder().setName("t").addLimits("10/1s").build();
        assertRefused(
                open(subscription().addThrottles(throttle).addThrottles(throttle))
                        .end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "'t' is declared twice");
        assertRefused(
                open(subscription().addAllThrottles(Collections.nCopies(21, throttle)))
                        .end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "got 21");
    }

    @Test
    void refusesAnotherKeyForAName() {
        Throttle.Builder unkeyed = Throttle.newBuilder().setName("disputed").addLimits("10/1s");
        RawClient.Stream first = open(subscription().addThrottles(unkeyed));
        await().until(() -> !first.frames().isEmpty());
        assertRefused(
                open(subscription().addThrottles(unkeyed.clone().addKey("header:customer")))
                        .end(),
                Status.Code.FAILED_PRECONDITION,
                "throttle-conflict",
                "[header:customer]");
        first.finish();
    }

    @Test
    void refusesASubscriptionOfNothing() {
        assertRefused(
                client.subscribe()
                        .send(SubscribeRequest.newBuilder().setCredit(1))
                        .end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "open: expected in the first frame");
        assertRefused(
                open(subscription().setQueue("nowhere")).end(), Status.Code.NOT_FOUND, "queue-not-found", "'nowhere'");
        assertRefused(
                open(subscription().setQueue("a/b")).end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "queue: expected");
        assertRefused(
                open(subscription().setConsumer("")).end(),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "consumer: expected");
    }

    static Stream<Arguments> wrongFrames() {
        String lease = new Lease(1, new UUID(1, 1)).toString();
        return Stream.of(
                frame("open: expected in the first frame only", frame -> frame.setOpen(subscription())),
                frame("credit: expected at most 10000", frame -> frame.setCredit(10_001)),
                frame(
                        "credit: expected at most 10000 deliveries asked for at a time, got 4294967295",
                        frame -> frame.setCredit(-1)),
                frame("ack: expected a lease", frame -> frame.addAck("")),
                frame("ack: expected a lease", frame -> frame.addAck("no lease")),
                frame("ack: expected a lease", frame -> frame.addAck(lease + "AA")),
                frame("release: expected a lease", frame -> frame.addRelease("x".repeat(100_000))),
                nack("nack.lease: expected a lease", nack -> nack.setLease("?")),
                extend("extend.lease: expected a lease", extend -> extend.setLease("?")));
    }

    static Stream<Arguments> wrongSettlements() {
        return Stream.of(
                nack("retryAfter: expected 0s to 365d, got PT-1S", nack -> nack.setRetryAfter(NEGATIVE)),
                nack("retryAfter: expected 0s to 365d", nack -> nack.setRetryAfter(LONGEST)),
                nack("closeBucketsOf: expected only with closeBucketsFor", nack -> nack.addCloseBucketsOf("stripe")),
                nack(
                        "retryAfter: expected none with deadLetter",
                        nack -> nack.setDeadLetter(true)
                                .setRetryAfter(com.google.protobuf.Duration.getDefaultInstance())),
                nack(
                        "closeBucketsFor: expected none with deadLetter",
                        nack -> nack.setDeadLetter(true)
                                .setCloseBucketsFor(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(1))),
                nack("nack.close_buckets_for: expected a duration", nack -> nack.setCloseBucketsFor(OVERFLOWING)),
                extend(
                        "by: expected 1s to 12h, got 0s",
                        extend -> extend.setBy(com.google.protobuf.Duration.getDefaultInstance())),
                extend("by: expected 1s to 12h", extend -> extend.setBy(LONGEST)));
    }

    private static Arguments frame(String said, Consumer<SubscribeRequest.Builder> flaw) {
        return arguments(said, flaw);
    }

    private static Arguments nack(String said, Consumer<Nack.Builder> flaw) {
        return frame(said, frame -> flaw.accept(frame.addNackBuilder().setLease(lease())));
    }

    private static Arguments extend(String said, Consumer<Extend.Builder> flaw) {
        return frame(said, frame -> flaw.accept(frame.addExtendBuilder().setLease(lease())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongFrames")
    void endsTheStreamAfterAWrongFrame(String said, Consumer<SubscribeRequest.Builder> flaw) {
        SubscribeRequest.Builder frame = SubscribeRequest.newBuilder();
        flaw.accept(frame);
        assertRefused(accepted().send(frame).end(), Status.Code.INVALID_ARGUMENT, "invalid-request", said);
    }

    /** The stream used to end, with nothing of the frame done: its client failed all that it had sent, and handled it again. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongSettlements")
    void refusesAWrongSettlementAndSettlesTheOthers(String said, Consumer<SubscribeRequest.Builder> flaw) {
        String queue = "innocent-" + UUID.randomUUID();
        broker.createQueue(queue);
        broker.enqueue(QueueName.of(queue), 1, Map.of());
        RawClient.Stream stream = open(subscription().setQueue(queue))
                .send(SubscribeRequest.newBuilder().setCredit(1));
        Delivery innocent = delivery(stream, 0);
        String lost = lease();
        SubscribeRequest.Builder frame = SubscribeRequest.newBuilder()
                .setSequence(7)
                .addAck(innocent.getLease())
                .addRelease(lost);
        flaw.accept(frame);

        stream.send(frame);

        await().atMost(Duration.ofSeconds(30))
                .until(() -> stream.frames().stream().anyMatch(f -> f.hasSettled()));
        Settled settled = stream.frames().stream()
                .filter(answer -> answer.hasSettled())
                .findFirst()
                .orElseThrow()
                .getSettled();
        assertThat(settled.getSequence()).isEqualTo(7);
        assertThat(settled.hasRefused()).isFalse();
        assertThat(settled.getLostList()).containsExactly(lost);
        assertThat(settled.getRefusalsList()).singleElement().satisfies(refusal -> {
            assertThat(refusal.getReason()).contains(said);
            assertThat(frame.getNackList().stream().map(Nack::getLease).toList().contains(refusal.getLease())
                            || frame.getExtendList().stream()
                                    .map(Extend::getLease)
                                    .toList()
                                    .contains(refusal.getLease()))
                    .isTrue();
        });
        assertThat(broker.bean(Messages.class)
                        .list(QueueName.of(queue), null, 10, null)
                        .messages())
                .isEmpty();
        stream.finish();
        assertThat(stream.end()).isNull();
    }

    /** A handler may fail with any text; one with NUL ended the stream again and again. */
    @Test
    void keepsAnErrorThatCannotBeStoredAsItIs() {
        broker.createQueue("nul");
        broker.enqueue(QueueName.of("nul"), 1, Map.of());
        RawClient.Stream stream = open(subscription().setQueue("nul"))
                .send(SubscribeRequest.newBuilder().setCredit(1));
        Delivery delivery = delivery(stream, 0);

        stream.send(SubscribeRequest.newBuilder()
                .setSequence(1)
                .addNack(Nack.newBuilder().setLease(delivery.getLease()).setError("a\0b")));

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(broker.bean(Messages.class)
                                .get(UUID.fromString(delivery.getId()))
                                .failures())
                        .extracting(MessageView.Failure::error)
                        .containsExactly("a\ufffdb"));
        stream.finish();
        assertThat(stream.end()).isNull();
    }

    /** Was answered UNKNOWN without a code, and logged as an error of the broker's. */
    @Test
    void endsTheStreamAfterBytesThatAreNoFrame() {
        RawClient.RawStream stream = client.subscribeRaw()
                .send(SubscribeRequest.newBuilder()
                        .setOpen(subscription()
                                .addThrottles(Throttle.newBuilder()
                                        .setName("given-up")
                                        .addLimits("10/1s")))
                        .build()
                        .toByteArray());
        await().atMost(Duration.ofSeconds(30)).until(() -> !stream.frames().isEmpty());
        stream.send(new byte[] {(byte) 0xff}).send(new byte[] {(byte) 0xff});
        assertRefused(stream.end(), Status.Code.INVALID_ARGUMENT, "invalid-request", "request: expected a message");

        // and with the stream its declarations
        await().atMost(Duration.ofSeconds(30))
                .until(() -> broker.bean(Stats.class).queue(QueueName.of("orders")).throttles().stream()
                        .noneMatch(throttle -> throttle.name().equals("given-up")));
    }

    /** The broker used to complete a stream that it had ended with an error, which gRPC takes for a fault and logs. */
    @Test
    void endsTheStreamOnceThoughTheConsumerFinishesToo() {
        for (int i = 0; i < 20; i++) {
            RawClient.Stream stream = open(subscription().setQueue("nowhere"));
            if (i % 2 == 0) {
                stream.send(SubscribeRequest.newBuilder().setOpen(subscription()));
            }
            stream.finish();
            assertRefused(stream.end(), Status.Code.NOT_FOUND, "queue-not-found", "'nowhere'");
        }
    }

    static Stream<Arguments> impossibleClosings() {
        return Stream.of(
                nack("closeBucketsFor: expected 1ms to 1h", nack -> nack.setCloseBucketsFor(NEGATIVE)),
                nack("closeBucketsFor: expected 1ms to 1h", nack -> nack.setCloseBucketsFor(LONGEST)),
                nack("got 0s", nack -> nack.setCloseBucketsFor(com.google.protobuf.Duration.getDefaultInstance())),
                nack(
                        "throttle 'none?such' does not apply to queue 'orders'",
                        nack -> nack.addCloseBucketsOf("none\0such")
                                .setCloseBucketsFor(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(1))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("impossibleClosings")
    void answersAnImpossibleClosingAndGoesOn(String said, Consumer<SubscribeRequest.Builder> flaw) {
        RawClient.Stream stream = accepted();
        SubscribeRequest.Builder frame = SubscribeRequest.newBuilder().setSequence(7);
        flaw.accept(frame);
        stream.send(frame).send(SubscribeRequest.newBuilder().setSequence(8).addAck(lease()));
        await().atMost(Duration.ofSeconds(30)).until(() -> stream.frames().size() == 3);
        assertThat(stream.frames().subList(1, 3)).allSatisfy(answer -> {
            boolean isRefusal = answer.getSettled().getSequence() == 7;
            assertThat(answer.getSettled().hasRefused()).isEqualTo(isRefusal);
            assertThat(answer.getSettled().getRefused()).contains(isRefusal ? said : "");
            assertThat(answer.getSettled().getLostCount()).isEqualTo(isRefusal ? 0 : 1);
        });
        stream.finish();
        assertThat(stream.end()).isNull();
    }

    @Test
    void closesBucketsAndDeliversAgainWithTheSameAttempt() {
        broker.createQueue("refused");
        broker.enqueue(QueueName.of("refused"), 1, Map.of());
        RawClient.Stream stream = open(subscription()
                        .setQueue("refused")
                        .addThrottles(Throttle.newBuilder().setName("refusing").addLimits("10/1s")))
                .send(SubscribeRequest.newBuilder().setCredit(2));
        Delivery refused = delivery(stream, 0);
        long began = System.nanoTime();

        stream.send(SubscribeRequest.newBuilder()
                .setSequence(1)
                .addNack(Nack.newBuilder()
                        .setLease(refused.getLease())
                        .setCloseBucketsFor(
                                com.google.protobuf.Duration.newBuilder().setSeconds(2))
                        .addCloseBucketsOf("refusing")));

        Delivery again = delivery(stream, 1);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(2_000_000_000L);
        assertThat(again.getId()).isEqualTo(refused.getId());
        assertThat(again.getAttempt()).isEqualTo(1);
        assertThat(stream.frames()).anySatisfy(frame -> {
            assertThat(frame.getSettled().getSequence()).isEqualTo(1);
            assertThat(frame.getSettled().hasRefused()).isFalse();
            assertThat(frame.getSettled().getLostList()).isEmpty();
        });
        stream.finish();
        assertThat(stream.end()).isNull();
    }

    private static Delivery delivery(RawClient.Stream stream, int index) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> stream.frames().stream()
                                .flatMap(frame -> frame.getDeliveriesList().stream())
                                .toList(),
                        deliveries -> deliveries.size() > index)
                .get(index);
    }

    @Test
    void saysWhichLeasesAreLost() {
        String unknown = lease();
        RawClient.Stream stream = accepted();
        stream.send(SubscribeRequest.newBuilder()
                .setSequence(7)
                .addAck(unknown)
                .addNack(Nack.newBuilder().setLease(unknown))
                .addExtend(Extend.newBuilder().setLease(unknown))
                .addRelease(unknown));
        await().atMost(Duration.ofSeconds(30)).until(() -> stream.frames().size() == 2);
        assertThat(stream.frames().get(1).getSettled().getSequence()).isEqualTo(7);
        assertThat(stream.frames().get(1).getSettled().getLostList()).containsExactly(unknown);
        stream.finish();
        assertThat(stream.end()).isNull();
    }

    private static String lease() {
        return new Lease(123_456, UUID.randomUUID()).toString();
    }

    private static Subscription.Builder subscription() {
        return Subscription.newBuilder().setQueue("orders").setConsumer("test");
    }

    private RawClient.Stream open(Subscription.Builder subscription) {
        return client.subscribe().send(SubscribeRequest.newBuilder().setOpen(subscription));
    }

    private RawClient.Stream accepted() {
        RawClient.Stream stream = open(subscription());
        await().atMost(Duration.ofSeconds(30)).until(() -> !stream.frames().isEmpty());
        assertThat(stream.frames().get(0).hasAccepted()).isTrue();
        return stream;
    }
}
