package io.fila.broker.clock;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.Optional;

import io.fila.broker.clock.DatabaseClock.Bounds;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Keeps the records of deliveries true to the database's clock: notices when it was set or is another server's, and moves them; and
 * notices when the database may have forgotten some in a crash. Safe for use by several threads.
 */
@Component
public class Timeline {

    /**
     * Holds the timeline until the transaction ends; and reads what {@link #admit} is to judge, in a statement of its own, since what
     * it reads must be newer than the lock.
     */
    public static final String ENTER = "select pg_advisory_xact_lock_shared(7434, 0)";

    public static final String READ = """
            select clock_timestamp(),
                   generation,
                   server_started = pg_postmaster_start_time() and exists (select from server_run)
            from clock
            """;

    private static final String ENTER_AND_READ = ENTER + ";\n" + READ;
    private static final String EXCLUSIVELY = "select pg_advisory_xact_lock(7434, 0)";
    private static final String LOOK = "select clock_timestamp()";
    private static final Logger log = LoggerFactory.getLogger(Timeline.class);

    static final long UNKNOWN = -1;

    private final Database database;
    private final ClockMarks marks;
    private final boolean losesRecords;
    private final DatabaseClock clock = new DatabaseClock();
    private final TimelineRecovery recovery;

    /**
     * Held by whoever recovers. Not the monitor of this: claims take that while they hold the timeline in the database, and a recovery
     * waits for them there.
     */
    private final Object recovering = new Object();

    /** The generation that {@link #clock} is of. Guarded by this. */
    private long generation = UNKNOWN;

    /** Guarded by this. */
    private boolean startedOver;

    /** The last generation for which this node has made sure of what it holds. Guarded by this. */
    private long heldIn = UNKNOWN;

    @Autowired
    Timeline(Database database, FailoverProperties properties) {
        this(database, properties.failover());
    }

    /** @param failover what a failover of the database may lose */
    public Timeline(Database database, Failover failover) {
        this.database = database;
        this.losesRecords = failover == Failover.ASYNCHRONOUS;
        this.recovery = new TimelineRecovery(clock, losesRecords);
        this.marks = new ClockMarks(database);
    }

    /** What this node knows of the database's clock. */
    public DatabaseClock clock() {
        return clock;
    }

    /**
     * Like {@link Database#inTransaction}, for work that goes by the clock or changes what a crash is judged by. If the clock was set, recovers and tries once more; throws
     * {@code storage-unavailable} while it cannot be known what the clock shows.
     */
    public <T> T inTransaction(String activity, Database.Work<T> work) {
        Database.Work<T> guarded = connection -> {
            enter(connection);
            return work.on(connection);
        };
        try {
            return database.inTransaction(activity, guarded);
        } catch (ClockMovedException e) {
            recover();
        }
        try {
            return database.inTransaction(activity, guarded);
        } catch (ClockMovedException e) {
            throw new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE,
                    "it is being checked what the database and its clock are after an interruption, so nothing was done; try again",
                    Duration.ofSeconds(1),
                    e);
        }
    }

    private void enter(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ENTER_AND_READ)) {
            long sent = System.nanoTime();
            statement.execute();
            long received = System.nanoTime();
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                row.next();
                admit(sent, row, 1, received);
            }
        }
    }

    /**
     * Judges what {@link #READ} read, from column {@code first} of the row on, having been asked at {@code sent} and answered at
     * {@code received}; returns what is known of the clock.
     *
     * @throws ClockMovedException if the records may not be true to the clock
     */
    public synchronized Bounds admit(long sent, ResultSet row, int first, long received) throws SQLException {
        Bounds bounds = judge(sent, row, first, received);
        if (mayHoldWhatWasLost()) {
            throw new ClockMovedException();
        }
        return bounds;
    }

    private synchronized Bounds judge(long sent, ResultSet row, int first, long received) throws SQLException {
        adopt(row.getLong(first + 1));
        boolean isSameRun = row.getBoolean(first + 2);
        if (!isSameRun || !clock.observe(sent, row.getObject(first, OffsetDateTime.class), received)) {
            throw new ClockMovedException();
        }
        recovery.doubtIsOver();
        return Objects.requireNonNull(clock.bounds());
    }

    private synchronized void adopt(long current) {
        if (generation != UNKNOWN && generation != current) {
            clock.forget();
        }
        generation = current;
    }

    /**
     * To be called every second: compares, recovers if need be, and marks what is known for nodes that start on this host.
     */
    public void beat() {
        startOver();
        try {
            compare();
        } catch (ClockMovedException e) {
            recover();
            compare();
        }
        Bounds known = clock.bounds();
        if (known != null) {
            marks.write(generation(), known);
        }
    }

    private void compare() {
        database.lookUp("compare clocks", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(READ)) {
                long sent = System.nanoTime();
                try (ResultSet row = statement.executeQuery()) {
                    long received = System.nanoTime();
                    row.next();
                    judge(sent, row, 1, received);
                    return true;
                }
            }
        });
    }

    /** Exchanges nothing but a reading with the database, so that its clock is known more exactly; returns what is known then. */
    public Bounds refine(Bounds known) {
        try {
            database.lookUp("read the clock", connection -> {
                try (PreparedStatement statement = connection.prepareStatement(LOOK)) {
                    long sent = System.nanoTime();
                    try (ResultSet row = statement.executeQuery()) {
                        long received = System.nanoTime();
                        row.next();
                        // if it contradicts what is known, the next claim finds out
                        return clock.observe(sent, row.getObject(1, OffsetDateTime.class), received);
                    }
                }
            });
        } catch (RuntimeException e) {
            log.debug("could not look at the clock", e);
        }
        return known.refinedBy(clock.bounds());
    }

    /** As known from the last exchange. */
    public synchronized long generation() {
        return generation;
    }

    /**
     * Whether a failover may have lost subscriptions that this node holds for its consumers, and it has not made sure of them since:
     * until then nothing goes by the clock, or what they declared would not bind.
     */
    public synchronized boolean mayHoldWhatWasLost() {
        return losesRecords && heldIn != generation;
    }

    /** The node has made sure of what it holds, in this generation. */
    public synchronized void madeSure(long generation) {
        heldIn = generation;
    }

    /** Takes over what an earlier process on this host knew. */
    private synchronized void startOver() {
        if (!startedOver) {
            marks.read().ifPresent(clock::inherit);
            startedOver = true;
        }
    }

    /** Moves the records to the clock as it is now, and has throttles pause that a crash may have made forget, unless another node has. */
    public void recover() {
        synchronized (recovering) {
            database.inTransaction("recover the timeline", connection -> {
                        try (PreparedStatement statement = connection.prepareStatement(EXCLUSIVELY)) {
                            statement.execute();
                        }
                        Optional<Long> begun = recovery.recover(connection, this::adopt, generation());
                        // after the records were moved, by the clock as it is now
                        CrashRecovery.recover(connection);
                        return begun;
                    })
                    .ifPresent(this::beginGeneration);
        }
    }

    private synchronized void beginGeneration(long next) {
        generation = next;
        clock.forget();
        recovery.doubtIsOver();
    }

    /**
     * To be asked of a moment that is granted for, no more than {@code ahead} after the present, before the commit: the clock was read
     * again, after {@code since}, for it, and may have been set after the reading that {@link #admit} judged.
     */
    public static void requireNear(OffsetDateTime moment, Bounds clock, long since, Duration ahead) {
        if (moment.isBefore(clock.atLeast(since))
                || moment.isAfter(clock.atMost(System.nanoTime()).plus(ahead))) {
            throw new ClockMovedException();
        }
    }
}
