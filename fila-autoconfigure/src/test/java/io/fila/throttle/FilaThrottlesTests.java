package io.fila.throttle;

import java.time.Instant;
import java.util.List;

import io.fila.client.PermitResult;
import io.fila.fake.FakeClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FilaThrottlesTests {

    private static final Instant ROOM_AT = Instant.parse("2030-01-31T12:00:00Z");

    private final FakeClient client = new FakeClient();
    private final FilaThrottles throttles = new FilaThrottles(client);

    @Test
    void acquiresOfTheBucketThatIsNamed() {
        client.onPermits = asked ->
                new PermitResult(asked.equals(new FakeClient.Asked("stripe", List.of("acme"), 2)) ? null : ROOM_AT);

        assertThat(throttles.tryAcquire("stripe", List.of("acme"), 2)).isTrue();
        assertThat(throttles.acquireOrRoomAt("stripe", List.of("acme"), 2)).isEmpty();
        assertThat(throttles.tryAcquire("stripe", List.of("zeta"), 2)).isFalse();
        assertThat(throttles.acquireOrRoomAt("stripe", List.of("acme"), 3)).contains(ROOM_AT);
    }

    @Test
    void acquiresOfTheBucketWithoutValues() {
        client.onPermits =
                asked -> new PermitResult(asked.equals(new FakeClient.Asked("stripe", List.of(), 1)) ? null : ROOM_AT);

        assertThat(throttles.tryAcquire("stripe", 1)).isTrue();
        assertThat(throttles.tryAcquire("stripe", 2)).isFalse();
    }
}
