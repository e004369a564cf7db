package io.fila.sample.stats;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class RateMeterTests {

    private static final long MILLI = 1_000_000;

    private final RateMeter meter = new RateMeter(8);

    @Test
    void isExactForGroupsThatComeAtOnce() {
        for (int second = 0; second < 30; second++) {
            group(second * 1000L, 0);
            if (second > 0) {
                assertThat(meter.overall()).isCloseTo(8.0, within(1e-9));
                assertThat(meter.recent()).isCloseTo(8.0, within(1e-9));
            }
        }
    }

    @Test
    void isExactForEventsThatAreSpreadEvenly() {
        for (int i = 0; i < 200; i++) {
            meter.record(i * 125 * MILLI);
        }
        assertThat(meter.overall()).isCloseTo(8.0, within(1e-9));
    }

    @Test
    void doesNotCountAGroupThatIsNotWhole() {
        group(0, 0);
        group(1020, 0);
        double whole = meter.overall();
        meter.record(2040 * MILLI);
        assertThat(meter.overall()).isEqualTo(whole).isCloseTo(8 / 1.02, within(1e-9));
    }

    @Test
    void tellsTheLatestWindowsFromTheWholePeriod() {
        for (int i = 0; i < 20; i++) {
            group(i * 2000L, 0);
        }
        for (int i = 0; i < 11; i++) {
            group(40_000 + i * 1000L, 0);
        }
        assertThat(meter.recent()).isCloseTo(8.0, within(1e-9));
        assertThat(meter.overall()).isBetween(4.0, 6.0);
    }

    @Test
    void beginsAnew() {
        group(0, 0);
        group(9000, 0);
        meter.reset();
        assertThat(meter.overall()).isZero();
        group(20_000, 0);
        group(21_000, 0);
        assertThat(meter.overall()).isCloseTo(8.0, within(1e-9));
    }

    private void group(long startMillis, long spacingMillis) {
        for (int i = 0; i < 8; i++) {
            meter.record((startMillis + i * spacingMillis) * MILLI);
        }
    }
}
