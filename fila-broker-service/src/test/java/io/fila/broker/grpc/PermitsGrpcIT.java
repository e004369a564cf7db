package io.fila.broker.grpc;

import java.time.Instant;
import java.util.List;

import io.fila.broker.RecordingConsumer;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.throttle.MissingKey;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
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

/** Permits over gRPC. */
class PermitsGrpcIT {

    private static TestBroker broker;
    private static RecordingConsumer declaring;

    private RawClient client;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
        declaring = RecordingConsumer.subscribe(
                broker,
                broker.createQueue("orders"),
                throttle("stripe", List.of("header:customer"), MissingKey.SHARED_BUCKET, "2/1h"));
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

    private AcquirePermitsResponse acquire(String throttle, int permits, String... key) {
        return client.throttles()
                .acquirePermits(AcquirePermitsRequest.newBuilder()
                        .setThrottle(throttle)
                        .addAllKey(List.of(key))
                        .setPermits(permits)
                        .build());
    }

    @Test
    void grantsPermitsOrSaysWhenThereIsRoom() {
        Instant before = Instant.now();
        AcquirePermitsResponse granted = acquire("stripe", 2, "acme");
        assertThat(granted.getGranted()).isTrue();
        assertThat(granted.hasRoomAt()).isFalse();

        AcquirePermitsResponse refused = acquire("stripe", 1, "acme");
        assertThat(refused.getGranted()).isFalse();
        assertThat(Instant.ofEpochSecond(refused.getRoomAt().getSeconds()))
                .isBetween(before.plusSeconds(3_590), before.plusSeconds(3_660));
        // none given means one
        assertThat(acquire("stripe", 0).getGranted()).isTrue();
        assertThat(acquire("stripe", 1).getGranted()).isTrue();
        assertThat(acquire("stripe", 1).getGranted()).isFalse();
    }

    @Test
    void refusesWhatCannotBe() {
        assertRefused(
                catchThrowable(() -> acquire("other", 1)), Status.Code.NOT_FOUND, "throttle-not-found", "'other'");
        assertRefused(
                catchThrowable(() -> acquire("", 1)), Status.Code.INVALID_ARGUMENT, "invalid-request", "throttle: ");
        assertRefused(
                catchThrowable(() -> acquire("stripe", -1)),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "permits: ");
        assertRefused(
                catchThrowable(() -> acquire("stripe", 3, "acme")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "permits: expected at most 2");
        assertRefused(
                catchThrowable(() -> acquire("stripe", 1, "a", "b")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "key: expected 1 values");
        assertRefused(
                catchThrowable(() -> acquire("stripe", 1, "a\0")),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "NUL");
        assertRefused(
                catchThrowable(() -> acquire("stripe", 1, "a".repeat(70_000))),
                Status.Code.INVALID_ARGUMENT,
                "invalid-request",
                "key: expected values of at most 65536 characters");
    }
}
