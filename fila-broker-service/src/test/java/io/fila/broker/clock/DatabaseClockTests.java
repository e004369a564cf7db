package io.fila.broker.clock;

import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Random;

import io.fila.broker.Seeds;
import io.fila.broker.clock.DatabaseClock.Bounds;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Moments of the node are nanoseconds; the database's clock stands at {@link #START} when the node's stands at zero. */
class DatabaseClockTests {

    private static final OffsetDateTime START = OffsetDateTime.parse("2030-01-01T00:00:00Z");
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final DatabaseClock clock = new DatabaseClock();

    private Bounds known() {
        return Objects.requireNonNull(clock.bounds());
    }

    private static OffsetDateTime shows(long moment) {
        return START.plusNanos(moment - Math.floorMod(moment, 1_000));
    }

    @Test
    void boundsTheClockByWhenItWasAskedAndAnswered() {
        clock.observe(0, shows(2 * MILLI), 3 * MILLI);

        // the reading was made at 3 ms at the latest: the clock may be 1 ms behind this node's, or 2 ms ahead
        assertThat(known().surelyAt(shows(10 * MILLI))).isBetween(11 * MILLI, 11 * MILLI + 10_000);
        assertThat(known().atMost(10 * MILLI))
                .isBetween(shows(12 * MILLI), shows(12 * MILLI).plusNanos(20_000));
    }

    @Test
    void takesTheTightestOfWhatSeveralExchangesSay() {
        clock.observe(0, shows(5 * MILLI), 10 * MILLI);
        clock.observe(20 * MILLI, shows(20 * MILLI + 100_000), 20 * MILLI + 200_000);
        clock.observe(30 * MILLI, shows(35 * MILLI), 40 * MILLI);

        assertThat(known().surelyAt(shows(50 * MILLI)) - 50 * MILLI).isBetween(0L, 150_000L);
    }

    @Test
    void trustsWhatIsOldLess() {
        clock.observe(0, shows(0), 0);

        assertThat(known().surelyAt(shows(10 * SECOND)) - 10 * SECOND).isBetween(10 * MILLI, 11 * MILLI);
        assertThat(known().atMost(10 * SECOND))
                .isBetween(shows(10 * SECOND + 10 * MILLI), shows(10 * SECOND + 11 * MILLI));
    }

    @Test
    void noticesAClockThatWasSetEitherWay() {
        clock.observe(0, shows(0), MILLI);

        assertThat(clock.observe(SECOND, shows(SECOND + 10 * MILLI), SECOND + MILLI))
                .isFalse();
        assertThat(clock.observe(SECOND, shows(SECOND - 10 * MILLI), SECOND + MILLI))
                .isFalse();
        assertThat(clock.observe(SECOND, shows(SECOND + MILLI / 2), SECOND + MILLI))
                .isTrue();
    }

    @Test
    void saysByHowMuchItWasSetAtTheMost() {
        clock.observe(0, shows(0), MILLI);

        var deviation = clock.deviation(SECOND, shows(6 * SECOND), SECOND + MILLI);

        assertThat(deviation).isNotNull();
        assertThat(deviation.most()).isBetween(5 * SECOND, 5 * SECOND + 4 * MILLI);
        assertThat(deviation.least()).isBetween(5 * SECOND - 4 * MILLI, 5 * SECOND);
    }

    @Test
    void keepsToTheClockItWasLearnedFromWhenThatIsSet() {
        clock.observe(0, shows(0), 0);
        Bounds before = known();
        clock.forget();
        clock.observe(SECOND, shows(3_600 * SECOND), SECOND);

        assertThat(before.refinedBy(known()).surelyAt(shows(2 * SECOND))).isBetween(2 * SECOND, 2 * SECOND + 3 * MILLI);
        assertThat(before.refinedBy(null)).isEqualTo(before);
    }

    @Test
    void neverContradictsAClockThatDriftsAsItMay() {
        Seeds.each(200, DatabaseClockTests::neverContradicts);
    }

    private static void neverContradicts(Random random) {
        DatabaseClock drifting = new DatabaseClock();
        double rate = 1 + (random.nextDouble() - 0.5) * 0.0019;
        long now = 0;
        for (int i = 0; i < 50; i++) {
            long sent = now;
            long read = sent + random.nextInt(5_000_000);
            long received = read + random.nextInt(5_000_000);
            OffsetDateTime reading = shows((long) (read * rate));
            assertThat(drifting.observe(sent, reading, received)).isTrue();
            now = received + (long) (random.nextDouble() * random.nextInt(2_000_000_000));
            assertThat(drifting.bounds().atMost(now)).isAfterOrEqualTo(shows((long) (now * rate)));
            long surely = drifting.bounds().surelyAt(shows(now));
            assertThat(shows((long) (surely * rate)))
                    .isAfterOrEqualTo(shows(now).minusNanos(1_000));
        }
    }
}
