package io.fila.broker.clock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

import io.fila.broker.jdbc.Sql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done when the database has crashed, or another server has taken over: it may have forgotten the latest commits that did not
 * wait for the disk, which are claims of queues with fast deliveries, and what the server keeps in an unlogged table tells so.
 */
final class CrashRecovery {

    /** If it is forgotten again, in another crash, that one is noticed, too. */
    private static final String BEGIN_RUN = "insert into server_run default values on conflict do nothing";

    private static final String PAUSE = Sql.load(CrashRecovery.class, "pause_throttles");

    /**
     * Passes the numbers of records that were forgotten, which PostgreSQL would give out once more: a node that returns the tokens of a
     * claim, and does not know that it was forgotten, must not return those of another.
     */
    private static final String PASS_NUMBERS = """
            select setval(sequence.name, nextval(sequence.name) + 1000000000)
            from (select pg_get_serial_sequence('delivery', 'id')::regclass as name) sequence
            """;

    private static final Logger log = LoggerFactory.getLogger(CrashRecovery.class);

    private static final int MOST_NAMES = 10;

    private CrashRecovery() {}

    /** A throttle that may have forgotten deliveries, and when it has room again at the earliest. */
    private record Paused(String name, Instant until) {
        @Override
        public String toString() {
            return "'" + name + "' until " + until;
        }
    }

    /**
     * Has throttles pause that may have forgotten deliveries, unless it was done since the last crash. In the caller's transaction, which
     * holds the timeline exclusively.
     */
    static void recover(Connection connection) throws SQLException {
        if (!beginsRun(connection)) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(PASS_NUMBERS);
        }
        List<Paused> paused = pause(connection);
        if (!paused.isEmpty()) {
            log.warn(
                    "The database crashed, or another server has taken over, and may have forgotten the latest deliveries of"
                            + " queues with fast deliveries; {} of their throttles pause for the longest window: {}",
                    paused.size(),
                    listed(paused));
        }
    }

    private static boolean beginsRun(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(BEGIN_RUN) > 0;
        }
    }

    private static List<Paused> pause(Connection connection) throws SQLException {
        List<Paused> paused = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(PAUSE)) {
            statement.setLong(1, TimelineRecovery.UNDER_WAY_MICROS);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    paused.add(new Paused(
                            row.getString(1),
                            row.getObject(2, OffsetDateTime.class).toInstant()));
                }
            }
        }
        return paused;
    }

    /** The longest pauses first, and not too many. */
    private static String listed(List<Paused> paused) {
        String first = paused.stream()
                .sorted(Comparator.comparing(Paused::until).reversed().thenComparing(Paused::name))
                .limit(MOST_NAMES)
                .map(Paused::toString)
                .collect(Collectors.joining(", "));
        return paused.size() <= MOST_NAMES ? first : first + " and others, none for longer";
    }
}
