package io.fila.broker.clock;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.jdbc.Database;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of this host know of the database's clock, kept in the database for those that start here later: since the same boot
 * of the host, they read the same monotonic clock. Where that cannot be told nothing is kept.
 */
final class ClockMarks {

    private static final String MARKED =
            "select m.least, m.most, m.known_at from clock_mark m join clock c on c.generation = m.generation"
                    + " where m.host = ?";
    private static final String MARK = """
            with forgotten as (
                delete from clock_mark
                where marked_at < clock_timestamp() - interval '1 day'
                  and host <> ?
            )
            insert into clock_mark (host, generation, least, most, known_at, marked_at)
            values (?, ?, ?, ?, ?, clock_timestamp())
            on conflict (host) do update
            set generation = excluded.generation,
                least = excluded.least,
                most = excluded.most,
                known_at = excluded.known_at,
                marked_at = excluded.marked_at
            """;

    private final Database database;
    private final @Nullable String host = Host.boot();

    ClockMarks(Database database) {
        this.database = database;
    }

    /** What was known of the clock as it runs now, if anything. */
    Optional<Bounds> read() {
        if (host == null) {
            return Optional.empty();
        }
        return database.lookUp("read the clock's mark", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(MARKED)) {
                statement.setString(1, host);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next()
                            ? Optional.of(new Bounds(row.getLong(1), row.getLong(2), row.getLong(3)))
                            : Optional.empty();
                }
            }
        });
    }

    void write(long generation, Bounds known) {
        if (host == null) {
            return;
        }
        database.lookUp("mark the clock", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(MARK)) {
                statement.setString(1, host);
                statement.setString(2, host);
                statement.setLong(3, generation);
                statement.setLong(4, known.least());
                statement.setLong(5, known.most());
                statement.setLong(6, known.knownAt());
                return statement.executeUpdate();
            }
        });
    }
}
