package io.fila.broker.clock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.function.LongConsumer;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.jdbc.Sql;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done to the records when the clock was set or is another server's: the decision, and the statements. In the caller's
 * transaction, which holds the timeline exclusively; by one thread of a node at a time.
 */
final class TimelineRecovery {

    private static final String INSPECT = """
            select clock_timestamp(),
                   generation,
                   server_started,
                   server_started = pg_postmaster_start_time(),
                   -- a moment from which on records are complete has to be moved like one, also if a crash has left no other
                   complete_from is not null
                       or (select d.id from delivery d limit 1) is not null
                       or (select t.name from throttle t where t.complete_from is not null limit 1) is not null
            from clock
            """;
    private static final String MOVE = Sql.load(TimelineRecovery.class, "move_records");
    private static final String COUNT_AS_NOW = Sql.load(TimelineRecovery.class, "count_records_as_now");

    /**
     * A replica that takes over goes on in a log of another name; a server that is started again, in its own. The generation is then
     * one that no node can know, though the replica may lack the latest.
     */
    private static final String RECOVERED = """
            with present as materialized (
                select timeline, ? and timeline <> (select timeline from clock) as is_other
                from (select substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline) log
            )
            update clock
            set generation = case
                    when present.is_other then greatest(?, extract(epoch from clock_timestamp())::bigint)
                    else ?
                end,
                server_started = pg_postmaster_start_time(),
                timeline = present.timeline,
                complete_from = case
                    when present.is_other then clock_timestamp() + ? * interval '1 microsecond'
                    else complete_from
                end
            from present
            returning generation, present.is_other
            """;

    /** Signs of life may be lost, too. */
    private static final String RENEW_ALL = """
            update node set seen_at = clock_timestamp();
            update subscription
            set expires_at = greatest(expires_at, clock_timestamp() + ttl_ms * interval '1 millisecond')
            where expires_at is not null
            """;

    private static final Logger log = LoggerFactory.getLogger(TimelineRecovery.class);

    /** So long a node that does not know how far a clock was set leaves it to those that may. */
    private static final long GRACE = Duration.ofSeconds(3).toNanos();

    /** A message may be under way for no longer than this after its claim; the setting of the bound is far below. */
    static final long UNDER_WAY_MICROS = Duration.ofSeconds(5).toNanos() / 1000;

    private final DatabaseClock clock;
    private final boolean losesRecords;

    /** Since when the timeline is in doubt without this node knowing by how much; 0 if it is not. */
    private volatile long doubtfulSince;

    /** @param losesRecords whether a server that takes over may lack the latest */
    TimelineRecovery(DatabaseClock clock, boolean losesRecords) {
        this.clock = clock;
        this.losesRecords = losesRecords;
    }

    /** The records are true to the clock. */
    void doubtIsOver() {
        doubtfulSince = 0;
    }

    /**
     * Makes the records true to the clock, or leaves it to others for a while; returns the generation that begins, if one does.
     *
     * @param adopt is told the generation that another node has begun
     * @param known the generation as this node knows it
     */
    Optional<Long> recover(Connection connection, LongConsumer adopt, long known) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSPECT)) {
            long sent = System.nanoTime();
            try (ResultSet row = statement.executeQuery()) {
                long received = System.nanoTime();
                row.next();
                long current = row.getLong(2);
                boolean isFirst = row.getObject(3) == null;
                boolean isSameServer = row.getBoolean(4);
                boolean hasRecords = row.getBoolean(5);
                if (known != Timeline.UNKNOWN && known != current) {
                    adopt.accept(current);
                    if (isSameServer) {
                        return Optional.empty();
                    }
                }
                Bounds deviation = clock.deviation(sent, row.getObject(1, OffsetDateTime.class), received);
                if (isFirst) {
                    return begin(connection, current);
                }
                if (deviation != null && deviation.least() <= 0 && deviation.most() >= 0) {
                    return isSameServer ? Optional.empty() : begin(connection, current);
                }
                if (deviation != null && !clock.isInherited()) {
                    return move(connection, deviation, current);
                }
                if (deviation == null && isSameServer) {
                    return Optional.empty();
                }
                return hasRecords ? countAsNow(connection, current) : begin(connection, current + 1);
            }
        }
    }

    private Optional<Long> move(Connection connection, Bounds deviation, long current) throws SQLException {
        long micros = Math.floorDiv(deviation.most(), 1000) + 1;
        try (PreparedStatement statement = connection.prepareStatement(MOVE)) {
            for (int parameter = 1; parameter <= 5; parameter++) {
                statement.setLong(parameter, micros);
            }
            statement.setLong(6, UNDER_WAY_MICROS);
            statement.executeUpdate();
        }
        log.warn(
                "The database's clock was set {} by {} ms; the records of deliveries have been moved accordingly",
                micros < 0 ? "back" : "forward",
                Math.abs(micros) / 1000);
        return begin(connection, current + 1);
    }

    private Optional<Long> countAsNow(Connection connection, long current) throws SQLException {
        long now = System.nanoTime();
        if (doubtfulSince == 0) {
            doubtfulSince = now;
        }
        if (now - doubtfulSince < GRACE) {
            return Optional.empty();
        }
        try (PreparedStatement statement = connection.prepareStatement(COUNT_AS_NOW)) {
            for (int parameter = 1; parameter <= 3; parameter++) {
                statement.setLong(parameter, UNDER_WAY_MICROS);
            }
            statement.executeUpdate();
        }
        log.warn(
                "The database was started again and no node knows whether its clock was set meanwhile; deliveries of the"
                        + " longest windows are counted as made now, so throttled queues may pause for up to a window");
        return begin(connection, current + 1);
    }

    private Optional<Long> begin(Connection connection, long next) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(RECOVERED)) {
            statement.setBoolean(1, losesRecords);
            statement.setLong(2, next + 1);
            statement.setLong(3, next);
            statement.setLong(4, UNDER_WAY_MICROS);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean(2)) {
                    try (Statement renewal = connection.createStatement()) {
                        renewal.execute(RENEW_ALL);
                    }
                    log.warn("Another server has taken over the database and may lack the latest deliveries;"
                            + " throttled queues pause for the longest window of their throttles");
                }
                return Optional.of(row.getLong(1));
            }
        }
    }
}
