package io.fila.broker.subscription;

import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.fila.broker.TestDatabase;
import io.fila.broker.clock.Failover;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.pacing.Pacing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/** What one look of the reaper ends. */
class SubscriptionReaperIT {

    /** Cannot be ended, and comes before all others. */
    private static final UUID FAULTY = new UUID(0, 1);

    private final HikariDataSource source = new HikariDataSource();
    private Database database;
    private SubscriptionReaper reaper;

    @BeforeEach
    void open() {
        source.setJdbcUrl(TestDatabase.create());
        database = new Database(source);
        SubscriptionStore store =
                new SubscriptionStore(database, new Timeline(database, Failover.SYNCHRONOUS), new DeclarationStore()) {
                    @Override
                    Optional<Set<Long>> endIfDead(UUID id) {
                        if (id.equals(FAULTY)) {
                            throw new IllegalStateException("as if a row of its were broken");
                        }
                        return super.endIfDead(id);
                    }
                };
        reaper = new SubscriptionReaper(store, mock(Pacing.class));
        execute("""
                insert into queue (name, visibility_timeout_ms, max_attempts, initial_backoff_ms, backoff_multiplier,
                                   max_backoff_ms, backoff_jitter)
                values ('orders', 30000, 3, 1000, 2, 60000, 0.1)
                """);
    }

    @AfterEach
    void close() throws InterruptedException {
        reaper.close();
        source.close();
    }

    /** A hundred were ended in a look, and none after the first that could not be. */
    @Test
    void endsAllStreamsOfADeadNodeButTheOneThatCannotBeEnded() {
        execute("""
                insert into subscription (id, queue_id, consumer, node_id)
                select case i when 0 then '%s'::uuid else gen_random_uuid() end, q.id, 'test', gen_random_uuid()
                from queue q, generate_series(0, 1000) as i
                """.formatted(FAULTY));

        reaper.reap();

        assertThat(text("select count(*) from subscription")).isEqualTo("1");
        assertThat(text("select id from subscription")).isEqualTo(FAULTY.toString());
    }

    private void execute(String sql) {
        database.run("prepare a test", connection -> {
            try (var statement = connection.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    private String text(String sql) {
        return database.run("read for a test", connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            }
        });
    }
}
