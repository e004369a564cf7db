package io.fila.broker.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.TestDatabase;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseIT {

    private final AtomicInteger attempts = new AtomicInteger();
    private final CyclicBarrier bothHoldOne = new CyclicBarrier(2);

    /** One of them failed with an internal error, though nothing was wrong with it. */
    @Test
    void triesADeadlocksVictimOnceMore() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(TestDatabase.create());
        Database database = new Database(source);
        database.run("prepare a test", connection -> execute(connection, """
                create table counter (id integer primary key, value integer not null);
                insert into counter values (1, 0), (2, 0)
                """));

        CompletableFuture<Integer> ascending = CompletableFuture.supplyAsync(() -> count(database, 1, 2));
        CompletableFuture<Integer> descending = CompletableFuture.supplyAsync(() -> count(database, 2, 1));

        ascending.orTimeout(60, TimeUnit.SECONDS).join();
        descending.orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(attempts).hasValue(3);
        assertThat(database.<Integer>run("read the counters", connection -> {
                    try (var statement = connection.createStatement();
                            var row = statement.executeQuery("select min(value) from counter")) {
                        row.next();
                        return row.getInt(1);
                    }
                }))
                .isEqualTo(2);
    }

    private int count(Database database, int first, int second) {
        return database.inTransaction("count", connection -> {
            execute(connection, "update counter set value = value + 1 where id = " + first);
            if (attempts.incrementAndGet() <= 2) {
                meet();
            }
            execute(connection, "update counter set value = value + 1 where id = " + second);
            return first;
        });
    }

    private void meet() {
        try {
            bothHoldOne.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }
}
