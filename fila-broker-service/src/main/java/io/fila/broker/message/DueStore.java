package io.fila.broker.message;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.SettlementStore.Failed;
import io.fila.broker.message.SettlementStore.Outcome;
import io.fila.broker.message.SettlementStore.Ready;
import org.springframework.stereotype.Component;

/** What time does to messages, by the database's clock: leases that expire, delays that end. */
@Component
class DueStore {

    private static final String FIND_EXPIRED = Sql.load(DueStore.class, "find_expired");
    private static final String NEXT_EXPIRY = Sql.load(DueStore.class, "find_next_expiry");
    private static final String NEXT_DELAYED = Sql.load(DueStore.class, "find_next_delayed");
    private static final String PROMOTE = Sql.load(DueStore.class, "promote_delayed");

    private final Database database;

    DueStore(Database database) {
        this.database = database;
    }

    /** Ends up to {@code most} expired leases as failed attempts. */
    Outcome expire(int most) {
        return database.inTransaction("end expired leases", connection -> {
            Outcome outcome = new Outcome();
            SettlementStore.fail(connection, findExpired(connection, most), outcome);
            return outcome;
        });
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
        return due(NEXT_DELAYED);
    }

    /** When the next lease expires. */
    Due nextExpiry() {
        return due(NEXT_EXPIRY);
    }

    /** A moment of the database's clock, and in how long it is; never, if nothing waits. */
    record Due(Instant at, Duration in) {}

    private Due due(String sql) {
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

    private static List<Failed> findExpired(Connection connection, int most) throws SQLException {
        List<Failed> expired = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(FIND_EXPIRED)) {
            statement.setInt(1, most);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    expired.add(new Failed(
                            SettlementStore.leased(rows), null, "lease_expired", "the lease expired", null, false));
                }
            }
        }
        return expired;
    }
}
