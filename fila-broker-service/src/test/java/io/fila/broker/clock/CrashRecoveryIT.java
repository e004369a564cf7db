package io.fila.broker.clock;

import java.time.Duration;
import java.util.List;

import io.fila.broker.StoredRows;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is made of a crash; it is one if the row is gone that PostgreSQL forgets in one. */
class CrashRecoveryIT {

    private static final String CRASH = "delete from server_run";

    private final StoredRows rows = new StoredRows();
    private final Timeline timeline = new Timeline(rows.database, Failover.SYNCHRONOUS);

    @BeforeEach
    void declare() {
        long orders = rows.queue("orders");
        long billing = rows.queue("billing");
        for (String name : List.of("own", "shared", "other", "unused")) {
            rows.throttle(name, List.of(), false, "5/1m", "50/1h");
        }
        rows.declare(orders, "own", "5/1m");
        rows.declare(orders, "shared", "5/1m");
        rows.declare(billing, "shared", "5/1m");
        rows.declare(billing, "other", "5/1m");
        rows.execute("update queue set fast_delivery = true where name in ('orders', 'billing.dlq')");
        timeline.beat();
    }

    @AfterEach
    void close() {
        rows.close();
    }

    private long count(String condition) {
        return rows.queryLong("select count(*) from throttle where " + condition);
    }

    @Test
    void findsNoCrashAfterTheMigration() {
        assertThat(count("complete_from is not null")).isZero();
    }

    @Test
    void pausesTheThrottlesOfQueuesWithFastDeliveries() {
        rows.execute(CRASH);

        timeline.beat();

        assertThat(
                        count(
                                "name in ('own', 'shared')"
                                        + " and complete_from between clock_timestamp() + interval '1 s' and clock_timestamp() + interval '5 s'"))
                .isEqualTo(2);
        assertThat(count("complete_from is not null")).isEqualTo(2);
        assertThat(rows.queryLong("select generation from clock")).isZero();
    }

    @Test
    void pausesOnceForACrash() {
        rows.execute(CRASH);
        timeline.beat();
        rows.execute("update throttle set complete_from = null");

        timeline.recover();
        new Timeline(rows.database, Failover.SYNCHRONOUS).beat();
        assertThat(count("complete_from is not null")).isZero();

        rows.execute(CRASH);
        timeline.inTransaction("look", connection -> true);
        assertThat(count("complete_from is not null")).isEqualTo(2);
    }

    /** A number that was given out once more was that of another record, whose tokens were returned in the place of its own. */
    @Test
    void givesOutNoNumberOfARecordAgain() {
        var bucket = rows.bucket("own", List.of(), List.of());
        rows.deliver(bucket, 1, Duration.ZERO);
        rows.execute("delete from delivery");
        rows.execute("select setval(pg_get_serial_sequence('delivery', 'id'), 7)");
        rows.execute(CRASH);

        timeline.beat();
        rows.deliver(bucket, 1, Duration.ZERO);

        assertThat(rows.queryLong("select id from delivery")).isGreaterThan(1_000_000);
    }
}
