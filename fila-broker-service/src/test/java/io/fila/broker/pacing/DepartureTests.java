package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.throttle.Bucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DepartureTests {

    private static final OffsetDateTime START = OffsetDateTime.parse("2030-01-01T00:00:00Z");
    private static final long NOW = 1_000_000_000;
    private static final UUID OPEN = new UUID(0, 1);
    private static final UUID SOON = new UUID(0, 2);
    private static final UUID LATER = new UUID(0, 3);

    private long sequence;

    /** The database's clock shows {@link #START} when this node's stands at {@link #NOW}. */
    private static long surelyAt(OffsetDateTime time) {
        return NOW + Duration.between(START, time).toNanos();
    }

    private static Grant grant(UUID bucket, long aheadMicros) {
        OffsetDateTime g = START.plusNanos(aheadMicros * 1_000);
        return new Grant(bucket, g, g.plusSeconds(1), bucket.getLeastSignificantBits(), 1);
    }

    private Leased leased(UUID... buckets) {
        return Deliveries.leased(
                ++sequence,
                Arrays.stream(buckets).map(id -> new Bucket(id, "t", List.of())).toArray(Bucket[]::new));
    }

    private static Claimed claimed(List<Leased> leased, Grant... grants) {
        return new Claimed(new Bounds(0, 0, 0), List.of(), leased, List.of(grants), Map.of(), Map.of(), false);
    }

    private static List<Departure> split(Claimed claimed) {
        return Departure.of(claimed, DepartureTests::surelyAt, NOW);
    }

    @Test
    void sendsAllAtOnceIfNothingLiesAhead() {
        Claimed claimed = claimed(List.of(leased(OPEN), leased()), grant(OPEN, -5));

        assertThat(split(claimed)).containsExactly(new Departure(NOW, claimed.leased()));
    }

    @Test
    void keepsBackOnlyWhatWasGrantedForLater() {
        Leased free = leased();
        Leased held = leased(OPEN, SOON);
        Leased open = leased(OPEN);

        List<Departure> departures = split(claimed(List.of(free, held, open), grant(OPEN, 0), grant(SOON, 5_000)));

        assertThat(departures).hasSize(2);
        assertThat(departures.get(0).at()).isEqualTo(NOW);
        assertThat(departures.get(0).leased()).containsExactly(free, open);
        assertThat(departures.get(1).at()).isEqualTo(NOW + 5_000_000);
        assertThat(departures.get(1).leased()).containsExactly(held);
    }

    @Test
    void makesOneOfMomentsThatAreCloseButNeverSendsBeforeTheMoment() {
        List<Departure> departures =
                split(claimed(List.of(leased(), leased(SOON), leased(LATER)), grant(SOON, 400), grant(LATER, 1_200)));

        assertThat(departures).extracting(Departure::at).containsExactly(NOW, NOW + 1_200_000);
        assertThat(departures.get(1).leased()).hasSize(2);
    }

    @Test
    void losesNoMessage() {
        List<Leased> all = new ArrayList<>();
        Grant[] grants = new Grant[50];
        for (int i = 0; i < grants.length; i++) {
            UUID bucket = new UUID(1, i);
            grants[i] = grant(bucket, i * 300L);
            all.add(leased(bucket));
            all.add(leased(OPEN, bucket));
        }
        Grant[] withOpen = Arrays.copyOf(grants, grants.length + 1);
        withOpen[grants.length] = grant(OPEN, 0);

        List<Departure> departures = split(claimed(all, withOpen));

        assertThat(departures.stream().flatMap(departure -> departure.leased().stream()))
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(departures).isSortedAccordingTo((a, b) -> Long.compare(a.at(), b.at()));
    }
}
