package io.fila.broker.subscription;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.fila.broker.BrokerProcess;
import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.pacing.Pacing;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.stats.Stats;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import io.fila.client.FilaClient;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.Subscription;
import io.fila.protocol.v1.SubscriptionServiceGrpc;
import io.fila.protocol.v1.Throttle;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.fila.broker.RecordingConsumer.subscribe;
import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

/** What consumers declare: when it is in force, what it comes to together, and when it ends. */
class DeclarationsIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static String database;
    private static TestBroker broker;

    /** Unused names, so that tests do not see each other's buckets. */
    private final String name = "t-" + UUID.randomUUID();

    private QueueName queue;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        // what is to be noticed at once is not to be noticed by a sweep
        broker = TestBroker.start(database, "fila.broker.pacing.sweep-interval=10m");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void createQueue() {
        queue = broker.createQueue("q-" + UUID.randomUUID());
    }

    @Test
    void refusesAConflictingKeyOverGrpcAndRest() throws Exception {
        RecordingConsumer first = subscribe(broker, queue, keyed("header:customer"));
        ManagedChannel channel = Grpc.newChannelBuilder(
                        "127.0.0.1:" + broker.grpcPort(), InsecureChannelCredentials.create())
                .build();
        try {
            assertThat(overGrpc(channel)).isInstanceOfSatisfying(StatusRuntimeException.class, refusal -> {
                assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
                assertThat(refusal.getTrailers().get(Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER)))
                        .isEqualTo("throttle-conflict");
                assertThat(refusal.getStatus().getDescription()).contains("[header:customer]", "[header:account]");
            });
        } finally {
            channel.shutdownNow();
        }
        HttpResponse<String> answer = overRest();
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("\"throttle-conflict\"", "[header:customer]", "[header:account]");
        first.close();
    }

    @Test
    void endsTheConflictWithTheLastThatDeclaresTheKey() {
        RecordingConsumer first = subscribe(broker, queue, keyed("header:customer"));
        RecordingConsumer second = subscribe(broker, queue, keyed("header:customer"));
        assertConflict();

        first.close();
        awaitSubscribers(1);
        assertConflict();

        second.close();
        awaitAccepted().close();
    }

    @Test
    void endsTheConflictWhenTheTimeOfASubscriptionByHttpHasPassed() {
        Duration ttl = Duration.ofSeconds(3);
        long opened = System.nanoTime();
        broker.bean(Subscriptions.class)
                .open(queue, "test", ttl, List.of(keyed("header:customer")))
                .join();

        RecordingConsumer accepted = awaitAccepted();

        assertThat(Duration.ofNanos(System.nanoTime() - opened)).isGreaterThanOrEqualTo(ttl);
        accepted.close();
    }

    /** What had been claimed before was sent after the acceptance, and not counted. */
    @Test
    void bindsWhatWasClaimedBeforeASubscriptionWasAcceptedAndNotSent() throws Exception {
        HoldingConsumer before = new HoldingConsumer();
        broker.enqueue(queue, 5, Map.of());
        // as long as may be, or on a slow machine what is held would be late anyway
        try (TestBroker node = TestBroker.start(database, "fila.broker.pacing.token-expiry=900ms")) {
            node.streams().open(queue, "test", List.of(), before).start();
            assertThat(before.holds.await(60, TimeUnit.SECONDS)).isTrue();

            subscribe(node, queue, 0, true, throttle(name, "1/1h"));
            before.goOn.countDown();

            awaitThrottled(4);
            assertThat(before.delivered).hasValue(1);
        }
    }

    @Test
    void answersASubscriptionByHttpWhenItsThrottlesBindAllDeliveries() {
        Subscriptions subscriptions = broker.bean(Subscriptions.class);
        Duration ttl = Duration.ofSeconds(60);
        CompletableFuture<HttpSubscription> first = subscriptions.open(queue, "test", ttl, List.of());
        assertThat(first).isCompleted();

        long asked = System.nanoTime();
        CompletableFuture<HttpSubscription> second =
                subscriptions.open(queue, "test", ttl, List.of(throttle(name, "5/1h")));
        second.join();
        assertThat(Duration.ofNanos(System.nanoTime() - asked))
                .isGreaterThanOrEqualTo(broker.bean(Pacing.class).tokenExpiry());

        assertThat(subscriptions.open(queue, "test", ttl, List.of())).isCompleted();
    }

    @Test
    void endsTheWaitOfAReceiveWhoseSubscriptionIsEnded() {
        Subscriptions subscriptions = broker.bean(Subscriptions.class);
        Duration minute = Duration.ofMinutes(1);
        UUID ended = subscriptions.open(queue, "test", minute, List.of()).join().id();
        UUID other = subscriptions.open(queue, "test", minute, List.of()).join().id();
        CompletableFuture<List<Delivery>> answer = answerOf(subscriptions.receive(ended, 1, minute));
        CompletableFuture<List<Delivery>> others = answerOf(subscriptions.receive(other, 1, minute));

        subscriptions.close(ended);

        assertThat(answer).isCompletedExceptionally();
        assertThat(catchThrowable(answer::join).getCause())
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(ProblemCode.SUBSCRIPTION_NOT_FOUND));
        broker.enqueue(queue, 1, Map.of());
        assertThat(others).succeedsWithin(PATIENCE).asInstanceOf(LIST).hasSize(1);
    }

    private static CompletableFuture<List<Delivery>> answerOf(PendingReceive receive) {
        CompletableFuture<List<Delivery>> answer = new CompletableFuture<>();
        receive.onFailure(answer::completeExceptionally);
        receive.onAnswer(answer::complete);
        return answer;
    }

    @Test
    void lowersALimitWithTheNextClaimAndRaisesItWhenNobodyDeclaresTheOldOne() {
        RecordingConsumer generous = subscribe(broker, queue, throttle(name, "1000/1h"));
        broker.enqueue(queue, 5, Map.of());
        await().atMost(PATIENCE).until(() -> generous.count() == 5);

        RecordingConsumer first = withoutCredit(throttle(name, "5/1h"));
        RecordingConsumer second = withoutCredit(throttle(name, "5/1h"));
        broker.enqueue(queue, 5, Map.of());
        awaitThrottled(5);
        assertThat(generous.count()).isEqualTo(5);

        first.close();
        awaitSubscribers(2);
        broker.enqueue(queue, 1, Map.of());
        awaitThrottled(6);
        assertThat(generous.count()).isEqualTo(5);

        second.close();
        await().atMost(PATIENCE).until(() -> generous.count() == 11);
        generous.close();
    }

    /** Lanes that the longer window held were looked at again only when it would have been over. */
    @Test
    void shortensAWindowWhenNobodyDeclaresTheLongerOne() {
        RecordingConsumer lasting = subscribe(broker, queue, throttle(name, "3/1s"));
        RecordingConsumer strict = withoutCredit(throttle(name, "3/1h"));
        broker.enqueue(queue, 6, Map.of());
        await().atMost(PATIENCE).until(() -> lasting.count() == 3);
        awaitThrottled(3);

        strict.close();

        await().atMost(PATIENCE).until(() -> lasting.count() == 6);
        lasting.close();
    }

    @Test
    void raisesALimitWhenTheConsumerOfAnotherQueueThatDeclaredItIsGone() {
        QueueName other = broker.createQueue("q-" + UUID.randomUUID());
        RecordingConsumer strict = subscribe(broker, other, 0, true, throttle(name, "5/1h"));
        RecordingConsumer generous = subscribe(broker, queue, throttle(name, "1000/1h"));
        broker.enqueue(queue, 10, Map.of());
        awaitThrottled(5);

        strict.close();

        await().atMost(PATIENCE).until(() -> generous.count() == 10);
        generous.close();
    }

    /** The limit of a deleted queue's consumer stayed in force until somebody declared the throttle again. */
    @Test
    void raisesALimitWhenTheQueueOfTheConsumerThatDeclaredItIsDeleted() {
        QueueName other = broker.createQueue("q-" + UUID.randomUUID());
        RecordingConsumer strict = subscribe(broker, other, 0, true, throttle(name, "5/1h"));
        RecordingConsumer generous = subscribe(broker, queue, throttle(name, "1000/1h"));
        broker.enqueue(queue, 10, Map.of());
        awaitThrottled(5);
        assertThat(generous.count()).isEqualTo(5);

        broker.bean(Queues.class).delete(other, true);

        await().atMost(PATIENCE).until(() -> generous.count() == 10);
        assertThat(strict.end()).isNotNull();
        generous.close();
    }

    @Test
    void letsTheSharedBucketWinOverUnthrottled() {
        RecordingConsumer lenient =
                subscribe(broker, queue, throttle(name, List.of("header:customer"), MissingKey.UNTHROTTLED, "2/1h"));
        broker.enqueue(queue, 5, Map.of());
        await().atMost(PATIENCE).until(() -> lenient.count() == 5);

        RecordingConsumer strict =
                withoutCredit(throttle(name, List.of("header:customer"), MissingKey.SHARED_BUCKET, "2/1h"));
        broker.enqueue(queue, 5, Map.of());
        awaitThrottled(3);
        assertThat(lenient.count()).isEqualTo(7);

        strict.close();
        await().atMost(PATIENCE).until(() -> lenient.count() == 10);
        lenient.close();
    }

    @Test
    void countsABacklogInTheBucketsOfANewKey() {
        int customers = 40;
        int each = 100;
        for (int i = 0; i < customers; i++) {
            broker.enqueue(queue, each, Map.of("customer", "c" + i));
        }
        // has lanes of the old kind
        RecordingConsumer before = subscribe(broker, queue, 10, true);
        await().atMost(PATIENCE).until(() -> before.count() == 10);
        before.close();
        awaitSubscribers(0);

        RecordingConsumer after = subscribe(
                broker,
                queue,
                throttle(name, List.of("header:customer"), MissingKey.SHARED_BUCKET, (each - 10) + "/1h"));

        Map<String, Integer> left = new java.util.HashMap<>();
        for (int i = 0; i < customers; i++) {
            left.put("c" + i, each);
        }
        before.handed().forEach(one -> left.merge(customer(one), -1, Integer::sum));
        int expected = left.values().stream()
                .mapToInt(some -> Math.min(some, each - 10))
                .sum();
        await().atMost(PATIENCE).until(() -> after.count() >= expected);
        awaitThrottled(customers * each - 10 - expected);
        assertThat(after.handed().stream().collect(Collectors.groupingBy(DeclarationsIT::customer)))
                .hasSize(customers)
                .allSatisfy((customer, some) -> assertThat(some).hasSize(Math.min(left.get(customer), each - 10)));
        List<UUID> ids = new ArrayList<>();
        List.of(before, after)
                .forEach(consumer ->
                        consumer.handed().forEach(one -> ids.add(one.delivery().id())));
        assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
        after.close();
    }

    @Test
    void remembersDeliveriesWhileNobodyIsSubscribed() {
        Duration window = Duration.ofSeconds(30);
        ThrottleDeclaration limit = throttle(name, "5/30s");
        broker.enqueue(queue, 10, Map.of());
        RecordingConsumer first = subscribe(broker, queue, limit);
        await().atMost(PATIENCE).until(() -> first.count() == 5);
        first.close();
        awaitSubscribers(0);

        RecordingConsumer second = subscribe(broker, queue, limit);
        awaitThrottled(5);
        assertThat(second.count()).isZero();

        await().atMost(PATIENCE).until(() -> second.count() == 5);
        assertThat(RecordingConsumer.mostInAny(window, List.of(first, second), delivery -> true))
                .isEqualTo(5);
        second.close();
    }

    @Test
    void endsTheDeclarationsOfAKilledNode(@TempDir Path directory) throws Exception {
        int port;
        try (var socket = new java.net.ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        try (BrokerProcess other = BrokerProcess.start(
                                directory, "--spring.grpc.server.port=" + port, "--spring.datasource.url=" + database)
                        .awaitReady();
                FilaClient client =
                        FilaClient.builder().address("dns:///127.0.0.1:" + port).build()) {
            client.subscribe(
                    new SubscriptionSpec(queue.value(), "test", List.of(ThrottleSpec.of(name, "1/1h"))),
                    new SubscriptionListener() {
                        @Override
                        public void onDelivery(io.fila.client.Delivery delivery) {}
                    });
            await().atMost(PATIENCE).until(() -> declarations() == 1);

            other.kill();

            await().atMost(Duration.ofSeconds(10)).until(() -> declarations() == 0);
        }
    }

    @Test
    void acceptsASubscriptionWhileTheQueueDeliversAtFullSpeed() {
        int messages = 20_000;
        for (int i = 0; i < messages; i += 5_000) {
            broker.enqueue(queue, 5_000, Map.of());
        }
        RecordingConsumer busy = subscribe(broker, queue, throttle(name, "1000000/1h"));
        await().atMost(PATIENCE).until(() -> busy.count() > 100);

        long start = System.nanoTime();
        RecordingConsumer accepted = subscribe(broker, queue, throttle(name, "1000000/1h"));
        Duration took = Duration.ofNanos(System.nanoTime() - start);

        assertThat(busy.count()).as("deliveries when it was accepted").isLessThan(messages);
        assertThat(took).isLessThan(Duration.ofSeconds(2));
        await().atMost(PATIENCE).until(() -> busy.count() + accepted.count() == messages);
        busy.close();
        accepted.close();
    }

    /** Stops at the first message that has been claimed for it, until it may go on. */
    private final class HoldingConsumer implements DeliverySink {

        private final CountDownLatch holds = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger delivered = new AtomicInteger();

        @Override
        public int credit() {
            if (goOn.getCount() > 0 && leased() > 0) {
                holds.countDown();
                try {
                    goOn.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return 100;
        }

        @Override
        public boolean deliver(List<Delivery> deliveries) {
            delivered.addAndGet(deliveries.size());
            return true;
        }

        @Override
        public void end(ProblemException reason) {}
    }

    private ThrottleDeclaration keyed(String component) {
        return throttle(name, List.of(component), MissingKey.SHARED_BUCKET, "10/1s");
    }

    private void assertConflict() {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> subscribe(broker, queue, keyed("header:account")))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.THROTTLE_CONFLICT));
    }

    private RecordingConsumer awaitAccepted() {
        return await().atMost(PATIENCE)
                .ignoreExceptionsMatching(
                        e -> e instanceof ProblemException problem && problem.code() == ProblemCode.THROTTLE_CONFLICT)
                .until(() -> subscribe(broker, queue, keyed("header:account")), consumer -> true);
    }

    /** Declares, and takes nothing. */
    private RecordingConsumer withoutCredit(ThrottleDeclaration throttle) {
        return subscribe(broker, queue, 0, true, throttle);
    }

    private void awaitSubscribers(int count) {
        await().atMost(PATIENCE)
                .until(() -> broker.bean(Stats.class).queue(queue).subscribers() == count);
    }

    private void awaitThrottled(long count) {
        await().atMost(PATIENCE)
                .until(() -> broker.bean(Stats.class).queue(queue).throttled(), throttled -> throttled == count);
    }

    private static String customer(RecordingConsumer.Handed one) {
        return one.delivery().headers().get("customer");
    }

    private int declarations() {
        return count("select count(*) from declaration where throttle = ?", name);
    }

    private int leased() {
        return count(
                "select count(*) from message where state = 3 and queue_id = (select id from queue where name = ?)",
                queue.value());
    }

    private static int count(String sql, String parameter) {
        return broker.bean(Database.class).run("count for a test", connection -> {
            try (var statement = connection.prepareStatement(sql)) {
                statement.setString(1, parameter);
                try (var row = statement.executeQuery()) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }

    private Throwable overGrpc(ManagedChannel channel) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        SubscriptionServiceGrpc.newStub(channel)
                .subscribe(new StreamObserver<>() {
                    @Override
                    public void onNext(SubscribeResponse frame) {}

                    @Override
                    public void onError(Throwable failure) {
                        end.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        end.complete(null);
                    }
                })
                .onNext(SubscribeRequest.newBuilder()
                        .setOpen(Subscription.newBuilder()
                                .setQueue(queue.value())
                                .setConsumer("test")
                                .addThrottles(Throttle.newBuilder()
                                        .setName(name)
                                        .addLimits("10/1s")
                                        .addKey("header:account")))
                        .build());
        return catchThrowable(() -> end.orTimeout(30, TimeUnit.SECONDS).join()).getCause();
    }

    private HttpResponse<String> overRest() throws Exception {
        String body = """
                {"consumer":"test","throttles":[{"name":"%s","limits":["10/1s"],"key":["header:account"]}]}
                """.formatted(name);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/api/v1/queues/%s/subscriptions"
                                        .formatted(broker.httpPort(), queue)))
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
