package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import com.google.protobuf.Timestamp;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PermitTests {

    private final FakeBroker broker = FakeBroker.start();
    private final FilaClient client = broker.client().build();

    @AfterEach
    void close() {
        client.close();
        broker.close();
    }

    @Test
    void asksForPermitsOfABucket() {
        PermitResult result = client.tryAcquire("stripe", List.of("acme", ""), 3);

        assertThat(result.isGranted()).isTrue();
        assertThat(result.roomAt()).isNull();
        assertThat(broker.permitRequests)
                .containsExactly(AcquirePermitsRequest.newBuilder()
                        .setThrottle("stripe")
                        .addKey("acme")
                        .addKey("")
                        .setPermits(3)
                        .build());
    }

    @Test
    void saysWhenThereIsRoomIfNoneIsGranted() {
        Instant roomAt = Instant.parse("2030-01-31T12:00:00.000001Z");
        broker.onPermits = request -> AcquirePermitsResponse.newBuilder()
                .setRoomAt(Timestamp.newBuilder()
                        .setSeconds(roomAt.getEpochSecond())
                        .setNanos(roomAt.getNano()))
                .build();

        assertThat(client.tryAcquireAsync("stripe", List.of(), 1))
                .succeedsWithin(Duration.ofSeconds(10))
                .isEqualTo(new PermitResult(roomAt));
    }

    @Test
    void failsWithTheBrokersCode() {
        broker.onPermits = request -> {
            throw FakeBroker.problem(Status.Code.NOT_FOUND, "throttle-not-found", "name: no throttle 'stripe'");
        };

        assertThatThrownBy(() -> client.tryAcquire("stripe", List.of(), 1))
                .isInstanceOfSatisfying(FilaException.class, problem -> {
                    assertThat(problem.code()).isEqualTo("throttle-not-found");
                    assertThat(problem.isRetryable()).isFalse();
                })
                .hasMessageContaining("could not acquire permits of throttle 'stripe'");
    }

    @Test
    void refusesNoPermitsAndAClosedClient() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client.tryAcquire("stripe", List.of(), 0))
                .withMessageContaining("permits is 0");
        client.close();
        assertThatThrownBy(() -> client.tryAcquire("stripe", List.of(), 1))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("client-closed"));
    }
}
