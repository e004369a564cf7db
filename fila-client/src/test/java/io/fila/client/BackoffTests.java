package io.fila.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTests {

    private final AtomicReference<Double> random = new AtomicReference<>(1.0);
    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), random::get);

    @Test
    void doublesItsBoundUpToTheLongest() {
        assertThat(Stream.generate(backoff::next).limit(6).map(Duration::toMillis))
                .containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L);
    }

    @Test
    void drawsFromZeroToTheBound() {
        random.set(0.0);
        assertThat(backoff.next()).isZero();
        random.set(0.5);
        assertThat(backoff.next()).hasMillis(100);
        assertThat(backoff.next()).hasMillis(200);
    }

    @Test
    void startsAgainAfterReset() {
        backoff.next();
        backoff.next();
        backoff.reset();
        assertThat(backoff.next()).hasMillis(100);
    }
}
