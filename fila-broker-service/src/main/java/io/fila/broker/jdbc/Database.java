package io.fila.broker.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Runs work in one transaction on one connection (read committed). For the statements that decide how fast and how right the
 * broker is; plain entities go through repositories.
 *
 * <p>Failures come out as {@link ProblemException} {@code storage-unavailable} if the database cannot be reached, and as
 * {@link IllegalStateException} naming the activity otherwise; the transaction has been rolled back, unless the problem says that
 * it may have been committed.
 */
@Component
public class Database {

    /** How long somebody who waits for a short answer waits. A caller of the broker is to have an answer within 5 s. */
    public static final Duration PATIENCE = Duration.ofMillis(4_500);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(500);

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

    /**
     * Runs {@code work} and commits. If the database rolls it back for the sake of others (a deadlock, or what it could not
     * serialize), once more; so beyond the transaction the work may do nothing that it must not do twice. {@code activity} completes
     * the sentence "could not …".
     */
    public <T> T inTransaction(String activity, Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                return committed(connection, work);
            } catch (SQLException e) {
                if (!isVictim(e)) {
                    throw e;
                }
            }
            return committed(connection, work);
        } catch (SQLException e) {
            throw failure(activity, e);
        }
    }

    private static <T> T committed(Connection connection, Work<T> work) throws SQLException {
        try {
            T result = work.on(connection);
            commit(connection);
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollBack(connection, e);
            throw e;
        }
    }

    private static boolean isVictim(SQLException e) {
        return "40P01".equals(e.getSQLState()) || "40001".equals(e.getSQLState());
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
            return committedAtOnce(connection, work);
        } catch (SQLException e) {
            throw failure(activity, e);
        }
    }

    /**
     * Like {@link #run}, for a short statement that somebody waits for: fails within about {@link #PATIENCE} even if the server
     * takes the statement and never answers.
     */
    public <T> T lookUp(String activity, Work<T> work) {
        long start = System.nanoTime();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            boundWaiting(connection, start);
            return committedAtOnce(connection, work);
        } catch (SQLException e) {
            throw failure(activity, e);
        }
    }

    /** The pool sets the timeout back when it gets the connection back. */
    private static void boundWaiting(Connection connection, long start) throws SQLException {
        long left = PATIENCE.minusNanos(System.nanoTime() - start).toMillis();
        connection.setNetworkTimeout(Runnable::run, (int) Math.max(SHORTEST_WAIT.toMillis(), left));
    }

    private static <T> T committedAtOnce(Connection connection, Work<T> work) throws SQLException {
        try {
            return work.on(connection);
        } catch (SQLException e) {
            if (DatabaseAway.isSaidBy(e)) {
                throw DatabaseAway.perhapsDone(e);
            }
            throw e;
        }
    }

    private static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            if (DatabaseAway.isSaidBy(e)) {
                throw DatabaseAway.perhapsDone(e);
            }
            throw e;
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
        return DatabaseAway.isSaidBy(e)
                ? DatabaseAway.nothingDone(e)
                : new IllegalStateException("could not " + activity, e);
    }
}
