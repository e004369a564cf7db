package io.fila.broker.message;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.fila.broker.jdbc.Database;
import io.fila.broker.jdbc.Sql;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Ends leases in the database: a batch is one transaction with one statement of each kind. */
@Component
class SettlementStore {

    private static final String ACK = Sql.load(SettlementStore.class, "ack_leases");
    private static final String RELEASE = Sql.load(SettlementStore.class, "release_leases");
    private static final String EXTEND = Sql.load(SettlementStore.class, "extend_leases");
    private static final String FAIL = Sql.load(SettlementStore.class, "fail_attempts");
    static final String LOCK = Sql.load(SettlementStore.class, "lock_leases");

    private final Database database;

    SettlementStore(Database database) {
        this.database = database;
    }

    /** A message that has become ready, or will at {@code availableAt}; or the next of an ordering group, which may be. */
    record Ready(
            long queueId,
            UUID lane,
            long sequence,
            @Nullable Instant availableAt) {}

    /** A lease of a queue. */
    record Leased(long queueId, long sequence, UUID claim) {}

    /** What becomes of a message whose attempt failed. */
    enum Fate {
        /** The queue's retry policy says it. */
        BY_POLICY,
        RETRIED,
        DEAD_LETTERED
    }

    /** A failed attempt. */
    record Failed(
            Leased leased,
            @Nullable String consumer,
            String reason,
            String error,
            @Nullable Long delayMillis,
            Fate fate) {}

    /** What a batch did: which messages it touched, which of them are dead letters now, and what is ready because of it. */
    record Outcome(Set<Leased> done, Set<Leased> deadLettered, List<Ready> ready) {

        Outcome() {
            this(new HashSet<>(), new HashSet<>(), new ArrayList<>());
        }

        /** A message has left its ordering group, if it was of any: the next of it may be ready. */
        private void addNextOf(@Nullable UUID group, Leased gone) {
            if (group != null) {
                ready.add(new Ready(gone.queueId(), group, gone.sequence() + 1, null));
            }
        }

        Set<Lease> lostOf(Leases.Call call) {
            Set<Lease> lost = new HashSet<>();
            for (Settlement settlement : call.settlements()) {
                if (!done.contains(leased(call.queueId(), settlement.lease()))) {
                    lost.add(settlement.lease());
                }
            }
            return lost;
        }

        boolean isDeadLettered(long queueId, Lease lease) {
            return deadLettered.contains(leased(queueId, lease));
        }
    }

    Outcome settle(List<Leases.Call> batch) {
        return database.inTransaction("settle leases", connection -> {
            if (isMixed(batch)) {
                lock(connection, batch);
            }
            return settle(connection, batch, List.of());
        });
    }

    /** Whether it takes several statements, each of which locks what it settles. */
    private static boolean isMixed(List<Leases.Call> batch) {
        return batch.stream()
                        .flatMap(call -> call.settlements().stream())
                        .map(Settlement::getClass)
                        .distinct()
                        .limit(2)
                        .count()
                > 1;
    }

    /**
     * Locks all that is settled in the one order, so that two batches which settle the same leases, each in its way, do not wait for each
     * other.
     */
    private static void lock(Connection connection, List<Leases.Call> batch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            bind(connection, statement, sortedLeases(batch));
            statement.execute();
        }
    }

    static List<Leased> sortedLeases(List<Leases.Call> batch) {
        List<Leased> leases = new ArrayList<>();
        for (Leases.Call call : batch) {
            for (Settlement settlement : call.settlements()) {
                leases.add(leased(call.queueId(), settlement.lease()));
            }
        }
        return sorted(leases);
    }

    /**
     * As a part of the caller's transaction, which has locked the leases, with more failures; what was refused downstream is the
     * caller's to deal with.
     */
    Outcome settle(Connection connection, List<Leases.Call> batch, List<Failed> moreFailures) throws SQLException {
        List<Leased> acks = new ArrayList<>();
        List<Leased> releases = new ArrayList<>();
        List<Failed> failures = new ArrayList<>(moreFailures);
        List<Extension> extensions = new ArrayList<>();
        for (Leases.Call call : batch) {
            for (Settlement settlement : call.settlements()) {
                Leased leased = leased(call.queueId(), settlement.lease());
                if (settlement instanceof Settlement.Ack) {
                    acks.add(leased);
                } else if (settlement instanceof Settlement.Release) {
                    releases.add(leased);
                } else if (settlement instanceof Settlement.Nack nack) {
                    Fate fate = nack.deadLetter() ? Fate.DEAD_LETTERED : Fate.BY_POLICY;
                    failures.add(failed(leased, call, nack, nack.retryAfter(), fate));
                } else if (settlement instanceof Settlement.Judged judged) {
                    Fate fate = judged.deadLetter() ? Fate.DEAD_LETTERED : Fate.RETRIED;
                    failures.add(failed(leased, call, judged.nack(), judged.retryAfter(), fate));
                } else if (settlement instanceof Settlement.Extend extend) {
                    extensions.add(new Extension(
                            leased, extend.by() == null ? null : extend.by().toMillis()));
                }
            }
        }
        Outcome outcome = new Outcome();
        ack(connection, acks, outcome);
        fail(connection, failures, outcome);
        release(connection, releases, outcome);
        extend(connection, extensions, outcome);
        return outcome;
    }

    private static Failed failed(
            Leased leased, Leases.Call call, Settlement.Nack nack, @Nullable Duration delay, Fate fate) {
        return new Failed(leased, call.consumer(), "nack", nack.error(), delay == null ? null : delay.toMillis(), fate);
    }

    static Leased leased(long queueId, Lease lease) {
        return new Leased(queueId, lease.sequence(), lease.claim());
    }

    private record Extension(Leased leased, @Nullable Long byMillis) {}

    private static void ack(Connection connection, List<Leased> acks, Outcome outcome) throws SQLException {
        if (acks.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(ACK)) {
            bind(connection, statement, sorted(acks));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Leased acked = leased(rows);
                    outcome.done().add(acked);
                    outcome.addNextOf(rows.getObject(4, UUID.class), acked);
                }
            }
        }
    }

    private static void release(Connection connection, List<Leased> releases, Outcome outcome) throws SQLException {
        if (releases.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(RELEASE)) {
            bind(connection, statement, sorted(releases));
            readReady(statement, outcome);
        }
    }

    private static void extend(Connection connection, List<Extension> extensions, Outcome outcome) throws SQLException {
        if (extensions.isEmpty()) {
            return;
        }
        List<Extension> sorted = new ArrayList<>(extensions);
        sorted.sort(Comparator.comparing(Extension::leased, ORDER));
        try (PreparedStatement statement = connection.prepareStatement(EXTEND)) {
            bind(connection, statement, sorted.stream().map(Extension::leased).toList());
            statement.setArray(
                    4,
                    connection.createArrayOf(
                            "bigint", sorted.stream().map(Extension::byMillis).toArray()));
            readDone(statement, outcome);
        }
    }

    static void fail(Connection connection, List<Failed> failures, Outcome outcome) throws SQLException {
        if (failures.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(FAIL)) {
            bind(connection, statement, failures.stream().map(Failed::leased).toList());
            Object[] consumers = failures.stream().map(Failed::consumer).toArray();
            Object[] reasons = failures.stream().map(Failed::reason).toArray();
            Object[] errors = failures.stream().map(Failed::error).toArray();
            Object[] delays = failures.stream().map(Failed::delayMillis).toArray();
            Object[] dead = failures.stream()
                    .map(failed -> failed.fate() == Fate.DEAD_LETTERED)
                    .toArray();
            Object[] retried = failures.stream()
                    .map(failed -> failed.fate() == Fate.RETRIED)
                    .toArray();
            statement.setArray(4, connection.createArrayOf("text", consumers));
            statement.setArray(5, connection.createArrayOf("text", reasons));
            statement.setArray(6, connection.createArrayOf("text", errors));
            statement.setArray(7, connection.createArrayOf("bigint", delays));
            statement.setArray(8, connection.createArrayOf("boolean", dead));
            statement.setArray(9, connection.createArrayOf("boolean", retried));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Leased from = leased(rows);
                    outcome.done().add(from);
                    if (rows.getBoolean(4)) {
                        outcome.deadLettered().add(from);
                    }
                    OffsetDateTime at = rows.getObject(8, OffsetDateTime.class);
                    outcome.ready()
                            .add(new Ready(
                                    rows.getLong(5),
                                    rows.getObject(7, UUID.class),
                                    rows.getLong(6),
                                    at == null ? null : at.toInstant()));
                    outcome.addNextOf(rows.getObject(9, UUID.class), from);
                }
            }
        }
    }

    static Leased leased(ResultSet row) throws SQLException {
        return new Leased(row.getLong(1), row.getLong(2), row.getObject(3, UUID.class));
    }

    private static void readDone(PreparedStatement statement, Outcome outcome) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                outcome.done().add(leased(rows));
            }
        }
    }

    static void readReady(PreparedStatement statement, Outcome outcome) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                outcome.done().add(leased(rows));
                outcome.ready().add(new Ready(rows.getLong(1), rows.getObject(4, UUID.class), rows.getLong(2), null));
            }
        }
    }

    private static final Comparator<Leased> ORDER =
            Comparator.comparingLong(Leased::queueId).thenComparingLong(Leased::sequence);

    /** In one order for everybody, so that two batches with a lease in common do not wait for each other. */
    static List<Leased> sorted(Collection<Leased> leases) {
        return leases.stream().sorted(ORDER).toList();
    }

    static void bind(Connection connection, PreparedStatement statement, List<Leased> leases) throws SQLException {
        Object[] queues = leases.stream().map(Leased::queueId).toArray();
        Object[] sequences = leases.stream().map(Leased::sequence).toArray();
        Object[] claims = leases.stream().map(Leased::claim).toArray();
        statement.setArray(1, connection.createArrayOf("bigint", queues));
        statement.setArray(2, connection.createArrayOf("bigint", sequences));
        statement.setArray(3, connection.createArrayOf("uuid", claims));
    }
}
