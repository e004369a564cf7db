package io.fila.listener;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryAfterExceptionTests {

    @Test
    void takesTheDelaysThatTheBrokerTakes() {
        Duration longest = Duration.ofDays(365);
        assertThat(new RetryAfterException(longest, "later").delay()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryAfterException(longest.plusMillis(1), "later"))
                .withMessageContaining("use at most 365 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryAfterException(Duration.ofMillis(-1), "later"))
                .withMessageContaining("use zero or more");
    }
}
