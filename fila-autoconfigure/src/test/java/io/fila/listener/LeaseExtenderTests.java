package io.fila.listener;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fila.client.Payload;
import io.fila.fake.FakeDelivery;
import io.fila.fake.FakeScheduler;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseExtenderTests {

    private final FakeScheduler scheduler = new FakeScheduler();
    private final LeaseExtender extender = new LeaseExtender(scheduler);

    /** The length was what this machine's clock made of the moment at which the lease expires. */
    @Test
    void extendsByTheLengthOfTheLeaseWhenAThirdOfItHasPassed() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        extender.keep(delivery, () -> false);
        assertThat(scheduler.last().delay).isEqualTo(Duration.ofSeconds(10));

        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    @Test
    void takesALeaseForASecondLongAtLeast() {
        FakeDelivery delivery = leased(Duration.ZERO);
        extender.keep(delivery, () -> false);
        scheduler.last().run();
        assertThat(delivery.extensions).containsExactly(Duration.ofSeconds(1));
        assertThat(scheduler.last().delay).isEqualTo(Duration.ofMillis(333));
    }

    @Test
    void stopsWhenClosed() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        extender.keep(delivery, () -> false).close();
        scheduler.last().run();
        assertThat(delivery.extensions).isEmpty();
    }

    @Test
    void stopsWhenTheLeaseIsLost() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        delivery.answer = CompletableFuture.completedFuture(false);
        extender.keep(delivery, () -> false);
        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).hasSize(1);
    }

    @Test
    void triesAgainWhenAnExtensionFails() {
        FakeDelivery delivery = leased(Duration.ofSeconds(30));
        delivery.answer = CompletableFuture.failedFuture(new IllegalStateException("no connection"));
        extender.keep(delivery, () -> false);
        scheduler.last().run();
        scheduler.last().run();
        assertThat(delivery.extensions).hasSize(2);
    }

    private static FakeDelivery leased(Duration length) {
        return new FakeDelivery("orders", Payload.text("a"), Map.of(), length);
    }
}
