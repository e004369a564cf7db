package io.fila.listener;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fila.client.Payload;
import io.fila.fake.FakeDelivery;
import io.fila.fake.FakeScheduler;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseExtenderTests {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private final FakeScheduler scheduler = new FakeScheduler();
    private final LeaseExtender extender = new LeaseExtender(scheduler, InstantSource.fixed(NOW));

    @Test
    void extendsByTheLengthOfTheLeaseWhenAThirdOfItHasPassed() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        extender.keep(delivery);
        assertThat(scheduler.last().delay).isEqualTo(Duration.ofSeconds(10));

        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    @Test
    void takesALeaseForASecondLongAtLeastBecauseClocksDiffer() {
        FakeDelivery delivery = leased(Duration.ofSeconds(-5));
        extender.keep(delivery);
        scheduler.last().run();
        assertThat(delivery.extensions).containsExactly(Duration.ofSeconds(1));
        assertThat(scheduler.last().delay).isEqualTo(Duration.ofMillis(333));
    }

    @Test
    void stopsWhenClosed() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        extender.keep(delivery).close();
        scheduler.last().run();
        assertThat(delivery.extensions).isEmpty();
    }

    @Test
    void stopsWhenTheLeaseIsLost() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        delivery.answer = CompletableFuture.completedFuture(false);
        extender.keep(delivery);
        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).hasSize(1);
    }

    @Test
    void triesAgainWhenAnExtensionFails() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        delivery.answer = CompletableFuture.failedFuture(new IllegalStateException("no connection"));
        extender.keep(delivery);
        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).hasSize(2);
    }

    private static FakeDelivery leased(Duration length) {
        return new FakeDelivery("orders", Payload.text("a"), Map.of(), NOW.plus(length));
    }
}
