package io.fila.client;

import java.time.Instant;
import java.util.List;

import com.google.protobuf.Timestamp;
import io.fila.protocol.v1.GetBucketRequest;
import io.fila.protocol.v1.GetBucketResponse;
import io.fila.protocol.v1.GetThrottleRequest;
import io.fila.protocol.v1.GetThrottleResponse;
import io.fila.protocol.v1.ListThrottlesResponse;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ThrottleAdminTests {

    private static final Instant NOON = Instant.parse("2030-01-31T12:00:00Z");

    private final FakeBroker broker = FakeBroker.start();
    private final FilaClient client = broker.client().build();
    private final FilaAdmin admin = client.admin();

    @AfterEach
    void close() {
        client.close();
        broker.close();
    }

    @Test
    void showsAThrottleWithTopBuckets() {
        broker.administration.answer = request ->
                GetThrottleResponse.newBuilder().setThrottle(stripe()).build();

        assertThat(admin.throttleStats("stripe", TopBuckets.of(10))).isEqualTo(stripeStats());

        assertThat(broker.administration.last())
                .isEqualTo(GetThrottleRequest.newBuilder()
                        .setThrottle("stripe")
                        .setTopBuckets(10)
                        .build());
    }

    @Test
    void listsThrottles() {
        broker.administration.answer = request ->
                ListThrottlesResponse.newBuilder().addThrottles(stripe()).build();

        assertThat(admin.throttles()).containsExactly(stripeStats());
    }

    @Test
    void showsABucketByTheValuesOfItsKey() {
        GetBucketResponse.Builder response = GetBucketResponse.newBuilder();
        response.getBucketBuilder().addKey("acme").addKey("").setClosedUntil(timestamp(NOON));
        broker.administration.answer = request -> response.build();

        assertThat(admin.throttleBucket("stripe", "acme", ""))
                .isEqualTo(new BucketStats(List.of("acme", ""), 0, List.of(), null, NOON));

        assertThat(broker.administration.last())
                .isEqualTo(GetBucketRequest.newBuilder()
                        .setThrottle("stripe")
                        .addKey("acme")
                        .addKey("")
                        .build());
    }

    @Test
    void tellsTheBucketOfAnUnkeyedThrottleFromTheOneOfMessagesLackingTheKey() {
        GetBucketResponse.Builder response = GetBucketResponse.newBuilder();
        response.getBucketBuilder().setLacksKey(true);
        broker.administration.answer = request -> response.build();
        assertThat(admin.throttleBucket("stripe").key()).isNull();

        response.getBucketBuilder().setLacksKey(false);
        assertThat(admin.throttleBucket("stripe").key()).isEmpty();
    }

    @Test
    void failsWithTheBrokersCode() {
        broker.administration.answer = request -> {
            throw FakeBroker.problem(Status.Code.NOT_FOUND, "throttle-not-found", "name: no throttle 'stripe'");
        };

        assertThatThrownBy(() -> admin.throttleStats("stripe", TopBuckets.of(0)))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("throttle-not-found"))
                .hasMessageContaining("could not look at throttle 'stripe'");
        assertThatIllegalArgumentException().isThrownBy(() -> TopBuckets.of(1_001));
    }

    private static io.fila.protocol.v1.ThrottleStats stripe() {
        io.fila.protocol.v1.ThrottleStats.Builder stripe = io.fila.protocol.v1.ThrottleStats.newBuilder();
        stripe.getThrottleBuilder().setName("stripe").addLimits("20/1s").addKey("header:customer");
        stripe.addDeclaredBuilder().addLimits("20/1s").addLimits("60/1m").setSubscribers(2);
        stripe.addTopBucketsBuilder()
                .addKey("acme")
                .setWaiting(900)
                .setRoomAt(timestamp(NOON))
                .addUsedBuilder()
                .setLimit("20/1s")
                .setCount(20);
        return stripe.addQueues("orders")
                .setSubscribers(2)
                .setActiveBuckets(3)
                .setBucketsAtLimit(1)
                .setWaiting(901)
                .build();
    }

    private static ThrottleStats stripeStats() {
        return new ThrottleStats(
                ThrottleSpec.of("stripe", "20/1s").keyedBy("header:customer"),
                List.of(new ThrottleStats.Declared(List.of("20/1s", "60/1m"), 2)),
                List.of("orders"),
                2,
                3,
                1,
                901,
                List.of(new BucketStats(List.of("acme"), 900, List.of(new BucketStats.Used("20/1s", 20)), NOON, null)));
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder().setSeconds(instant.getEpochSecond()).build();
    }
}
