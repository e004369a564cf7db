package io.fila.broker.message;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.SettlementStore.Failed;
import io.fila.broker.message.SettlementStore.Fate;
import io.fila.broker.message.SettlementStore.Leased;
import io.fila.broker.message.SettlementStore.Outcome;
import io.fila.broker.message.SettlementStore.Ready;
import io.fila.broker.script.Verdict;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What time does to messages, by the database's clock: leases that expire, delays that end. */
@Component
class DueStore {

    private static final String FIND_EXPIRED = Sql.load(DueStore.class, "find_expired");
    private static final String NEXT_EXPIRY = Sql.load(DueStore.class, "find_next_expiry");
    private static final String NEXT_DELAYED = Sql.load(DueStore.class, "find_next_delayed");
    private static final String PROMOTE = Sql.load(DueStore.class, "promote_delayed");

    static final String EXPIRED_REASON = "lease_expired";
    static final String EXPIRED_ERROR = "the lease expired";

    private final Database database;

    DueStore(Database database) {
        this.database = database;
    }

    /**
     * What became of expired leases.
     *
     * @param found how many there were
     * @param unjudged those that were left alone, since a script is to say what becomes of their messages
     */
    record Expiry(Outcome outcome, int found, List<Leased> unjudged) {}

    /**
     * Ends up to {@code most} expired leases as failed attempts, those of queues with a script only if it has been asked.
     *
     * @param judged what scripts have said; empty if they left it to the retry policy
     */
    Expiry expire(int most, Map<Leased, Optional<Verdict>> judged) {
        return database.inTransaction("end expired leases", connection -> {
            List<Failed> failed = new ArrayList<>();
            List<Leased> unjudged = new ArrayList<>();
            findExpired(connection, most).forEach((leased, hasScript) -> {
                Optional<Verdict> verdict = judged.get(leased);
                if (hasScript && verdict == null) {
                    unjudged.add(leased);
                } else {
                    failed.add(failed(leased, verdict == null ? null : verdict.orElse(null)));
                }
            });
            Outcome outcome = new Outcome();
            SettlementStore.fail(connection, failed, outcome);
            return new Expiry(outcome, failed.size() + unjudged.size(), unjudged);
        });
    }

    private static Failed failed(Leased leased, @Nullable Verdict verdict) {
        Long delay = verdict instanceof Verdict.Retry retry && retry.delay() != null
                ? retry.delay().toMillis()
                : null;
        Fate fate = verdict instanceof Verdict.Retry
                ? Fate.RETRIED
                : verdict instanceof Verdict.DeadLetter ? Fate.DEAD_LETTERED : Fate.BY_POLICY;
        return new Failed(leased, null, EXPIRED_REASON, EXPIRED_ERROR, delay, fate);
    }

    /** Makes up to {@code most} delayed messages ready whose time has come. */
    List<Ready> promote(int most) {
        return database.run("make delayed messages ready", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PROMOTE)) {
                statement.setInt(1, most);
                Outcome outcome = new Outcome();
                SettlementStore.readReady(statement, outcome);
                return outcome.ready();
            }
        });
    }

    /** When the next delayed message becomes ready. */
    Due nextDelayed() {
        return due(database, NEXT_DELAYED);
    }

    /** When the next lease expires. */
    Due nextExpiry() {
        return due(database, NEXT_EXPIRY);
    }

    /** A moment of the database's clock, and in how long it is; never, if nothing waits. */
    record Due(Instant at, Duration in) {}

    /** @param sql finds the moment, and in how many milliseconds it is */
    static Due due(Database database, String sql) {
        return database.run("find what is due next", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new Due(row.getObject(1, OffsetDateTime.class).toInstant(), Duration.ofMillis((long)
                                Math.ceil(row.getDouble(2))))
                        : new Due(Instant.MAX, Duration.ofDays(1));
            }
        });
    }

    /** Expired leases, the oldest first, and whether a script is to be asked. */
    private static Map<Leased, Boolean> findExpired(Connection connection, int most) throws SQLException {
        Map<Leased, Boolean> expired = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(FIND_EXPIRED)) {
            statement.setInt(1, most);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    expired.put(SettlementStore.leased(rows), rows.getBoolean(4));
                }
            }
        }
        return expired;
    }
}
