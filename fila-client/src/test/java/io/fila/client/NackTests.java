package io.fila.client;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class NackTests {

    @Test
    void refusesADelayThatTheBrokerWouldRefuse() {
        assertThatNoException().isThrownBy(() -> Nack.retryAfter("later", Duration.ofDays(365)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Nack.retryAfter("later", Duration.ofDays(365).plusNanos(1)))
                .withMessageContaining("retryAfter must be at most 365 days");
    }

    @Test
    void refusesARetryOfADeadLetter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Nack("no", Duration.ofSeconds(1), true, null, List.of()))
                .withMessageContaining("no retryAfter");
    }

    @Test
    void refusesClosingsThatContradictThemselves() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Nack.closeBuckets("429", Duration.ZERO))
                .withMessageContaining("closeBucketsFor must be 1 ms or longer, but was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Nack("429", null, false, null, List.of("stripe")))
                .withMessageContaining("closeBucketsOf needs closeBucketsFor");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Nack("429", null, true, Duration.ofSeconds(1), List.of()))
                .withMessageContaining("no dead letter");
    }
}
