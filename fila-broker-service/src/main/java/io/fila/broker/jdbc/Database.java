package io.fila.broker.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;

import javax.sql.DataSource;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Runs work in one transaction on one connection (read committed). For the statements that decide how fast and how right the
 * broker is; plain entities go through repositories.
 *
 * <p>Failures come out as {@link ProblemException} {@code storage-unavailable} if the database cannot be reached, and as
 * {@link IllegalStateException} naming the activity otherwise; the transaction has been rolled back.
 */
@Component
public class Database {

    private final DataSource dataSource;

    public Database(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Work on a connection that has no result. */
    @FunctionalInterface
    public interface Action {
        void on(Connection connection) throws SQLException;
    }

    /** Runs {@code work} and commits. {@code activity} completes the sentence "could not …". */
    public <T> T inTransaction(String activity, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollBack(connection, e);
                throw e;
            }
        } catch (SQLException e) {
            throw failure(activity, e);
        }
    }

    /** Like {@link #inTransaction}, for work without a result. */
    public void inTransactionWithoutResult(String activity, Action work) {
        inTransaction(activity, connection -> {
            work.on(connection);
            return true;
        });
    }

    /** Runs {@code work} with each statement committed by itself: for reads, and single statements. */
    public <T> T run(String activity, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            return work.on(connection);
        } catch (SQLException e) {
            throw failure(activity, e);
        }
    }

    private static void rollBack(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private static RuntimeException failure(String activity, SQLException e) {
        if (isUnavailable(e)) {
            return new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE,
                    "the database cannot be reached, so nothing was done; try again",
                    Duration.ofSeconds(1),
                    e);
        }
        return new IllegalStateException("could not " + activity, e);
    }

    /** Whether the server is away, starting, stopping, read-only or out of connections: what passes without a change here. */
    static boolean isUnavailable(SQLException e) {
        if (e instanceof SQLTransientConnectionException || e instanceof SQLRecoverableException) {
            return true;
        }
        String state = e.getSQLState();
        // 08 connection, 53 resources, 57P0x shutdown and start, 58 system, 25006 read-only after a failover
        return state != null
                && (state.startsWith("08")
                        || state.startsWith("53")
                        || state.startsWith("57P0")
                        || state.startsWith("58")
                        || state.equals("25006"));
    }
}
