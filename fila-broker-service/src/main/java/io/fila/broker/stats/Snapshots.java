package io.fila.broker.stats;

import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Reads for statistics. Each is of one snapshot, so that what is counted by several statements is counted once; each goes by
 * indexes whatever the planner believes; and few run at the same time, so that asking takes neither connections nor processors
 * from deliveries. Reads do not nest.
 */
@Component
class Snapshots {

    /**
     * How long what was read is good for. Half of what is promised: an answer is put together from others, and reading takes a
     * while.
     */
    static final Duration AGE = Duration.ofMillis(500);

    private static final int AT_ONCE = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String BEGIN = """
            set transaction isolation level repeatable read, read only;
            set local enable_seqscan = off;
            set local enable_bitmapscan = off;
            set local max_parallel_workers_per_gather = 0;
            set local jit = off
            """;

    private final Database database;
    private final Semaphore turns = new Semaphore(AT_ONCE, true);

    Snapshots(Database database) {
        this.database = database;
    }

    /** Reads; {@code activity} completes the sentence "could not …". */
    <T> T read(String activity, Database.Work<T> work) {
        awaitTurn();
        try {
            return database.inTransaction(activity, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(BEGIN);
                }
                return work.on(connection);
            });
        } finally {
            turns.release();
        }
    }

    private void awaitTurn() {
        try {
            if (turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "statistics could not be read within %d s, since others are being read; try again"
                        .formatted(PATIENCE.toSeconds()),
                Duration.ofSeconds(1),
                null);
    }
}
