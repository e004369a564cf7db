package io.fila.broker.grpc;

import java.util.List;
import java.util.Map;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.MissingKey;
import io.fila.protocol.v1.Bucket;
import io.fila.protocol.v1.DeclaredLimits;
import io.fila.protocol.v1.GetBucketRequest;
import io.fila.protocol.v1.GetThrottleRequest;
import io.fila.protocol.v1.ListThrottlesRequest;
import io.fila.protocol.v1.ThrottleStats;
import io.fila.protocol.v1.UsedLimit;
import io.grpc.Status;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.fila.broker.RecordingConsumer.throttle;
import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** What throttles hold, over gRPC. */
class ThrottleGrpcIT {

    private static TestBroker broker;
    private static RecordingConsumer declaring;

    private RawClient client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
        QueueName orders = broker.createQueue("orders");
        declaring = RecordingConsumer.subscribe(
                broker, orders, throttle("stripe", List.of("header:customer"), MissingKey.SHARED_BUCKET, "2/1h"));
        broker.enqueue(orders, 5, Map.of("customer", "acme"));
        broker.enqueue(orders, 1, Map.of());
        await().until(() -> declaring.count() == 3);
    }

    @AfterAll
    static void stop() {
        declaring.close();
        broker.close();
    }

    @BeforeEach
    void connect() {
        client = new RawClient(broker.grpcPort());
    }

    @AfterEach
    void disconnect() {
        assertThat(client.complaints()).isEmpty();
        client.close();
    }

    @Test
    void showsAThrottleWithTheBucketsThatHoldMost() {
        await().untilAsserted(() -> {
            ThrottleStats stripe = get(GetThrottleRequest.newBuilder());
            assertThat(stripe.getThrottle().getName()).isEqualTo("stripe");
            assertThat(stripe.getThrottle().getLimitsList()).containsExactly("2/1h");
            assertThat(stripe.getThrottle().getKeyList()).containsExactly("header:customer");
            assertThat(stripe.getDeclaredList())
                    .containsExactly(DeclaredLimits.newBuilder()
                            .addLimits("2/1h")
                            .setSubscribers(1)
                            .build());
            assertThat(stripe.getQueuesList()).containsExactly("orders");
            assertThat(stripe.getSubscribers()).isEqualTo(1);
            assertThat(stripe.getActiveBuckets()).isEqualTo(2);
            assertThat(stripe.getBucketsAtLimit()).isEqualTo(1);
            assertThat(stripe.getWaiting()).isEqualTo(3);
            Bucket acme = stripe.getTopBuckets(0);
            assertThat(acme.getKeyList()).containsExactly("acme");
            assertThat(acme.getWaiting()).isEqualTo(3);
            assertThat(acme.getUsedList())
                    .containsExactly(
                            UsedLimit.newBuilder().setLimit("2/1h").setCount(2).build());
            assertThat(acme.hasRoomAt()).isTrue();
            assertThat(acme.hasClosedUntil()).isFalse();
            assertThat(stripe.getTopBuckets(1).getLacksKey()).isTrue();
        });
        assertThat(get(GetThrottleRequest.newBuilder().setTopBuckets(1)).getTopBucketsCount())
                .isEqualTo(1);
        assertThat(get(GetThrottleRequest.newBuilder().setTopBuckets(0)).getTopBucketsCount())
                .isZero();
    }

    @Test
    void listsThrottlesWithoutBuckets() {
        List<ThrottleStats> throttles = client.throttles()
                .listThrottles(ListThrottlesRequest.getDefaultInstance())
                .getThrottlesList();

        assertThat(throttles).singleElement().satisfies(stripe -> {
            assertThat(stripe.getThrottle().getName()).isEqualTo("stripe");
            assertThat(stripe.getTopBucketsCount()).isZero();
        });
    }

    @Test
    void showsOneBucket() {
        await().untilAsserted(
                        () -> assertThat(bucket("stripe", "acme").getWaiting()).isEqualTo(3));
        assertThat(bucket("stripe").getLacksKey()).isTrue();
        assertThat(bucket("stripe").getUsed(0).getCount()).isEqualTo(1);
        assertThat(bucket("stripe", "nobody").getUsed(0).getCount()).isZero();
        assertThat(bucket("stripe", "nobody").hasRoomAt()).isFalse();
    }

    @Test
    void refusesWhatIsNotThereOrCannotBe() {
        assertRefused(
                catchThrowable(() -> get(GetThrottleRequest.newBuilder().setTopBuckets(1_001))),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "topBuckets: expected 0 to 1000, got 1001");
        assertRefused(
                catchThrowable(() -> bucket("stripe", "a", "b")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "key: expected 1 values");
        assertRefused(
                catchThrowable(() -> bucket("no-such")), Status.Code.NOT_FOUND, "throttle-not-found", "'no-such'");
        assertRefused(
                catchThrowable(() -> bucket("a b")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "throttle: expected 1 to 200 letters");
    }

    private ThrottleStats get(GetThrottleRequest.Builder request) {
        return client.throttles()
                .getThrottle(request.setThrottle("stripe").build())
                .getThrottle();
    }

    private Bucket bucket(String throttle, String... key) {
        return client.throttles()
                .getBucket(GetBucketRequest.newBuilder()
                        .setThrottle(throttle)
                        .addAllKey(List.of(key))
                        .build())
                .getBucket();
    }
}
