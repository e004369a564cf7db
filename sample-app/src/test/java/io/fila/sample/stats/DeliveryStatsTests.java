package io.fila.sample.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class DeliveryStatsTests {

    private long nanos = 7;
    private final DeliveryStats stats = new DeliveryStats(() -> nanos);

    @Test
    void countsWhatIsSentDeliveredAcceptedAndDropped() {
        stats.sent(3);
        deliver();
        stats.accepted();
        deliver();
        stats.dropped();
        DeliveryStats.Snapshot now = stats.snapshot();
        assertThat(now.sent()).isEqualTo(3);
        assertThat(now.delivered()).isEqualTo(2);
        assertThat(now.accepted()).isEqualTo(1);
        assertThat(now.dropped()).isEqualTo(1);
        assertThat(now.waiting()).isEqualTo(2);
        assertThat(now.mostInAnySecond()).isEqualTo(2);
    }

    @Test
    void waitsForNothingAfterARestartThatFoundABacklog() {
        deliver();
        stats.accepted();
        assertThat(stats.snapshot().waiting()).isZero();
    }

    @Test
    void beginsABusyPeriodAfterAnIdleTime() {
        busy(3, Duration.ofMillis(1020));
        assertThat(stats.snapshot().ratePerSecond()).isCloseTo(8 / 1.02, within(1e-6));
        pass(Duration.ofMinutes(5));
        assertThat(stats.snapshot().currentRate()).isZero();
        assertThat(stats.snapshot().ratePerSecond()).isCloseTo(8 / 1.02, within(1e-6));
        busy(3, Duration.ofSeconds(1));
        assertThat(stats.snapshot().ratePerSecond()).isCloseTo(8.0, within(1e-6));
    }

    @Test
    void countsAStallWhileSomethingWaitsAgainstTheRate() {
        stats.sent(100);
        busyWithoutSending(2, Duration.ofSeconds(1));
        pass(Duration.ofSeconds(10));
        busyWithoutSending(1, Duration.ofSeconds(1));
        assertThat(stats.snapshot().ratePerSecond()).isLessThan(2.0);
    }

    @Test
    void showsTheLastSixtySeconds() {
        busy(3, Duration.ofSeconds(1));
        List<Integer> perSecond = stats.snapshot().perSecond();
        assertThat(perSecond).hasSize(60);
        assertThat(perSecond).endsWith(8, 8, 8, 0);
        pass(Duration.ofSeconds(58));
        assertThat(stats.snapshot().perSecond()).startsWith(8, 0, 0);
        pass(Duration.ofHours(1));
        assertThat(stats.snapshot().perSecond()).containsOnly(0);
    }

    @Test
    void remembersTimesInTheQueue() {
        QueueTimes times = new QueueTimes();
        assertThat(times.snapshot()).isEqualTo(new QueueTimes.Snapshot(0, 0, 0));
        times.record(Duration.ofSeconds(9));
        for (int i = 1; i <= 1000; i++) {
            times.record(Duration.ofMillis(i));
        }
        times.record(Duration.ofMillis(-3));
        assertThat(times.snapshot()).isEqualTo(new QueueTimes.Snapshot(0, 500, 9000));
    }

    private void busy(int groups, Duration window) {
        stats.sent(groups * 8);
        busyWithoutSending(groups, window);
    }

    private void busyWithoutSending(int groups, Duration window) {
        for (int group = 0; group < groups; group++) {
            for (int i = 0; i < 8; i++) {
                deliver();
                stats.accepted();
            }
            pass(window);
        }
    }

    private void deliver() {
        stats.delivered(Instant.now());
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
