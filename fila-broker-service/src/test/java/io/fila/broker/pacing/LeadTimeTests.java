package io.fila.broker.pacing;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeadTimeTests {

    private static final long MILLI = 1_000_000;

    private final LeadTime lead = new LeadTime(Duration.ofMillis(50));

    @Test
    void coversALongerClaimAtOnce() {
        lead.took(2 * MILLI);
        lead.took(20 * MILLI);

        assertThat(lead.next(1)).isGreaterThan(20 * MILLI);
    }

    @Test
    void coversAsManyClaimsAsItTakes() {
        lead.took(10 * MILLI);

        assertThat(lead.next(2)).isGreaterThan(20 * MILLI);
    }

    @Test
    void comesDownWhenClaimsTakeLess() {
        lead.took(40 * MILLI);
        for (int i = 0; i < 200; i++) {
            lead.took(MILLI);
        }

        assertThat(lead.next(1)).isLessThan(32 * MILLI);
    }

    @Test
    void isBoundedHoweverLongAClaimTook() {
        lead.took(5_000 * MILLI);

        assertThat(lead.next(1)).isEqualTo(50 * MILLI);
    }
}
