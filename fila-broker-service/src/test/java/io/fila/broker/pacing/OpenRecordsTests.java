package io.fila.broker.pacing;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

import io.fila.broker.pacing.Claimed.Leased;
import io.fila.broker.pacing.OpenRecords.Complete;
import io.fila.broker.throttle.Bucket;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OpenRecordsTests {

    private static final OffsetDateTime G = OffsetDateTime.parse("2030-01-01T00:00:00Z");
    private static final Bucket ONE = new Bucket(new UUID(0, 1), "one", List.of());
    private static final Bucket BOTH = new Bucket(new UUID(0, 2), "both", List.of());

    private long sequence;

    private static Grant grant(Bucket bucket, int count) {
        return new Grant(bucket.id(), G, G.plusSeconds(1), bucket.id().getLeastSignificantBits(), count);
    }

    private Leased leased(Bucket... buckets) {
        return Deliveries.leased(++sequence, buckets);
    }

    @Test
    void completeARecordWithTheDepartureThatIsOverLastWhateverTheirOrder() {
        Leased first = leased(BOTH);
        Leased second = leased(ONE, BOTH);
        OpenRecords records = new OpenRecords(List.of(grant(ONE, 1), grant(BOTH, 2)));

        // the later departure was sent while the thread of the earlier one did not run
        assertThat(records.departed(List.of(second), List.of(), 10))
                .containsExactly(new Complete(grant(ONE, 1), 10, 0));
        assertThat(records.departed(List.of(first), List.of(), 70))
                .containsExactly(new Complete(grant(BOTH, 2), 70, 0));
    }

    @Test
    void boundARecordByTheLastOfItsMessages() {
        Leased first = leased(BOTH);
        Leased second = leased(BOTH);
        OpenRecords records = new OpenRecords(List.of(grant(BOTH, 2)));

        assertThat(records.departed(List.of(first), List.of(), 70)).isEmpty();
        assertThat(records.departed(List.of(second), List.of(), 10))
                .containsExactly(new Complete(grant(BOTH, 2), 70, 0));
    }

    @Test
    void sumUpTheTokensThatWereNotUsedInAnyDeparture() {
        Leased first = leased(BOTH);
        Leased second = leased(ONE, BOTH);
        Leased third = leased(BOTH);
        OpenRecords records = new OpenRecords(List.of(grant(ONE, 1), grant(BOTH, 3)));

        records.departed(List.of(first), List.of(first), 1);

        assertThat(records.departed(List.of(second, third), List.of(second), 2))
                .containsExactlyInAnyOrder(new Complete(grant(ONE, 1), 2, 1), new Complete(grant(BOTH, 3), 2, 2));
    }
}
