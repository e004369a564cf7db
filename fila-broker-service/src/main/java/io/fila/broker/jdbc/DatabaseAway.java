package io.fila.broker.jdbc;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.time.Duration;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Tells failures that pass when the database is back from those that need a change here, and says so to callers. */
public final class DatabaseAway {

    private static final Duration SOON = Duration.ofSeconds(1);

    private DatabaseAway() {}

    /** Whether that is why something failed, also if the exception that says so is wrapped in others. */
    public static boolean isCauseOf(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof DataAccessResourceFailureException
                    || e instanceof TransientDataAccessException
                    || e instanceof RecoverableDataAccessException
                    || e instanceof CannotCreateTransactionException
                    || (e instanceof SQLException sql && isSaidBy(sql))) {
                return true;
            }
        }
        return false;
    }

    /** What a caller is told of such a failure. */
    public static ProblemException problem(Throwable failure) {
        return problem("the database cannot be reached or is overloaded; try again", failure);
    }

    static ProblemException nothingDone(SQLException e) {
        return problem("the database cannot be reached, so nothing was done; try again", e);
    }

    static ProblemException perhapsDone(SQLException e) {
        return problem(
                "the database was lost before it answered, so this may have been done; look before trying again", e);
    }

    private static ProblemException problem(String detail, Throwable cause) {
        return new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, detail, SOON, cause);
    }

    /** Whether the server is away, starting, stopping, read-only or out of connections. */
    static boolean isSaidBy(SQLException e) {
        if (e instanceof SQLTransientException || e instanceof SQLRecoverableException) {
            return true;
        }
        String state = e.getSQLState();
        // 08 connection, 53 resources, 57P0x shutdown and start, 58 system, 25006 read-only after a failover, 0A000 a
        // replica that has
        // not taken over yet and cannot show what it does not have
        return state != null
                && (state.startsWith("08")
                        || state.startsWith("53")
                        || state.startsWith("57P0")
                        || state.startsWith("58")
                        || state.equals("25006")
                        || state.equals("0A000"));
    }
}
