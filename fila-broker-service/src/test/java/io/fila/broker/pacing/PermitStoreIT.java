package io.fila.broker.pacing;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;

import io.fila.broker.StoredRows;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.pacing.PermitStore.Tried;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.MissingKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** One try at permits, on a real database. */
class PermitStoreIT {

    private static final Duration BOUND = Duration.ofMillis(250);
    private static final ActiveThrottle THROTTLE =
            new ActiveThrottle("t", List.of(), MissingKey.SHARED_BUCKET, List.of(StoredRows.limit("4/10m")));

    private final StoredRows rows = new StoredRows();
    private final Timeline timeline = new Timeline(rows.database, Failover.SYNCHRONOUS);
    private final PermitStore store = new PermitStore(timeline, new BucketStore(rows.database, timeline));
    private Bucket bucket;

    @BeforeEach
    void create() {
        rows.throttle("t", List.of(), false, "4/10m", "6/60m");
        bucket = rows.bucket("t", List.of(), List.of());
        // the first exchange only notes which server this is
        timeline.beat();
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private Tried tryGrant(int permits) {
        return store.tryGrant(THROTTLE, bucket, permits, BOUND);
    }

    private static OffsetDateTime in(Duration duration) {
        return OffsetDateTime.now(ZoneOffset.UTC).plus(duration);
    }

    @Test
    void grantsAllThatIsAskedForOrNothing() {
        rows.deliver(bucket, 2, Duration.ofMinutes(9));

        assertThat(tryGrant(3)).isInstanceOf(Tried.Full.class);
        assertThat(tryGrant(2)).isInstanceOf(Tried.Granted.class);
        assertThat(tryGrant(1)).isInstanceOf(Tried.Full.class);
        assertThat(rows.queryLong("select cum from bucket")).isEqualTo(4);
    }

    @Test
    void saysWhenThereIsRoomForAsManyAsAreAskedFor() {
        rows.deliver(bucket, 2, Duration.ofMinutes(9));
        rows.deliver(bucket, 1, Duration.ofMinutes(5));

        assertThat(tryGrant(2))
                .isInstanceOfSatisfying(
                        Tried.Full.class,
                        full -> assertThat(full.roomAt())
                                .isCloseTo(in(Duration.ofMinutes(1)), within(Duration.ofSeconds(10))));
        // those of nine minutes ago leave two for the long limit
        assertThat(tryGrant(4))
                .isInstanceOfSatisfying(
                        Tried.Full.class,
                        full -> assertThat(full.roomAt())
                                .isCloseTo(in(Duration.ofMinutes(51)), within(Duration.ofSeconds(10))));
        assertThat(tryGrant(1)).isInstanceOf(Tried.Granted.class);
    }

    @Test
    void grantsNothingOfABucketThatIsClosed() {
        rows.close(bucket, Duration.ofMinutes(3));

        assertThat(tryGrant(1))
                .isInstanceOfSatisfying(
                        Tried.Full.class,
                        full -> assertThat(full.roomAt())
                                .isCloseTo(in(Duration.ofMinutes(3)), within(Duration.ofSeconds(10))));
    }

    @Test
    void waitsForNobodyWhoHoldsTheBucket() {
        rows.database.inTransactionWithoutResult("hold the bucket", connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("select id from bucket for update");
            }
            assertThat(tryGrant(1)).isInstanceOf(Tried.Busy.class);
        });
        assertThat(tryGrant(1)).isInstanceOf(Tried.Granted.class);
    }

    @Test
    void findsThatTheThrottleIsNotWhatItWas() {
        var keyed = new ActiveThrottle(
                "t",
                List.of(new KeyComponent.FairnessKey()),
                MissingKey.SHARED_BUCKET,
                List.of(StoredRows.limit("4/10m")));
        Bucket other = Bucket.of("t", keyed.key(), List.of("acme"));

        assertThat(store.tryGrant(keyed, other, 1, BOUND)).isInstanceOf(Tried.Stale.class);
        // more than a limit allows by now
        assertThat(tryGrant(5)).isInstanceOf(Tried.Stale.class);
        rows.execute("delete from bucket");
        assertThat(tryGrant(1)).isInstanceOf(Tried.Missing.class);
        rows.execute("delete from throttle");
        assertThat(tryGrant(1)).isInstanceOf(Tried.Stale.class);
    }
}
