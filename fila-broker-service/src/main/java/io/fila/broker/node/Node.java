package io.fila.broker.node;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.clock.ClockMovedException;
import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * This node: its identity, its heartbeat, and whether others are alive. All times are the database's. Safe for use by several
 * threads.
 */
@Component
public class Node implements SmartInitializingSingleton {

    /** Without a heartbeat for so long, a node is taken for dead by the others. */
    public static final Duration LAPSE = Duration.ofSeconds(6);

    /** Without a heartbeat for so long, a node takes itself for dead: sooner than the others do, whatever clocks drift. */
    private static final long DOUBT_NANOS = LAPSE.minusSeconds(1).toNanos();

    private static final Logger log = LoggerFactory.getLogger(Node.class);
    private static final Duration BEAT = Duration.ofSeconds(1);

    private static final String SEEN = """
            with seen as (
                insert into node (id, name, seen_at)
                values (?, ?, clock_timestamp())
                on conflict (id) do update set seen_at = excluded.seen_at
            )
            select exists (
                       select 1
                       from node
                       where id <> ?
                         and seen_at > clock_timestamp() - ? * interval '1 millisecond'
                   )
            """;
    private static final String GONE = "delete from node where id = ?";

    private final UUID id = UUID.randomUUID();
    private final String name = hostName() + "/" + ProcessHandle.current().pid();
    private final Database database;
    private final ObjectProvider<LapseListener> lapseListeners;
    private final Timeline timeline;
    private final ScheduledExecutorService heart;

    /** Written by the heart, read by anybody. True until the first beat says otherwise. */
    private volatile boolean othersAlive = true;

    /** Whether the last heartbeat failed for no known reason, and that has been said. Only touched by the heart, once it beats. */
    private boolean failing;

    /** Only touched by the heart, once it beats. */
    private boolean isAway;

    /** When the last successful heartbeat began, by this node's clock. Written by the heart, read by anybody. */
    private volatile long lastBeat = System.nanoTime() - DOUBT_NANOS;

    Node(Database database, Timeline timeline, ObjectProvider<LapseListener> lapseListeners) {
        this.database = database;
        this.timeline = timeline;
        this.lapseListeners = lapseListeners;
        this.heart = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fila-heartbeat");
            thread.setDaemon(true);
            return thread;
        });
    }

    public UUID id() {
        return id;
    }

    /**
     * Is told that others may have taken this node for dead and ended what it holds, or that a failover may have lost it: must make
     * sure of it.
     */
    public interface LapseListener {

        /** Throws if it cannot: then the node stays in doubt. */
        void lapsed();
    }

    /**
     * Whether what this node holds for its consumers is surely still in force. If not, it must not deliver: others may have taken
     * it for dead and withdrawn what its consumers declared.
     */
    public boolean isCurrent() {
        return System.nanoTime() - lastBeat < DOUBT_NANOS;
    }

    /** Whether other nodes may be alive. */
    public boolean hasOthers() {
        return othersAlive;
    }

    @Override
    public void afterSingletonsInstantiated() {
        beatQuietly();
        heart.scheduleAtFixedRate(this::beatQuietly, BEAT.toMillis(), BEAT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @PreDestroy
    void close() {
        heart.shutdownNow();
        try {
            database.run("sign off", connection -> {
                try (PreparedStatement statement = connection.prepareStatement(GONE)) {
                    statement.setObject(1, id);
                    return statement.executeUpdate();
                }
            });
        } catch (RuntimeException e) {
            log.debug("could not sign off; the heartbeat lapses by itself", e);
        }
    }

    private void beat() {
        long began = System.nanoTime();
        boolean inDoubt = !isCurrent();
        othersAlive = database.lookUp("tell that this node is alive", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SEEN)) {
                statement.setObject(1, id);
                statement.setString(2, name);
                statement.setObject(3, id);
                statement.setLong(4, LAPSE.toMillis());
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        });
        if (inDoubt) {
            // the row is fresh again, so nobody ends anything from here on; what was ended before is found now
            lapseListeners.forEach(LapseListener::lapsed);
        }
        lastBeat = began;
        try {
            timeline.beat();
            if (timeline.mayHoldWhatWasLost()) {
                long generation = timeline.generation();
                lapseListeners.forEach(LapseListener::lapsed);
                timeline.madeSure(generation);
            }
        } catch (ClockMovedException e) {
            // until it is known what the clock shows, nothing is delivered; the node is alive all the same
            log.debug("the timeline is in doubt", e);
        }
    }

    /** Says for the whole node, and once each, that the database is away and that it is back. */
    private void beatQuietly() {
        try {
            beat();
            failing = false;
            if (isAway) {
                isAway = false;
                log.info("the database is back; deliveries go on");
            }
        } catch (ProblemException e) {
            if (!isAway) {
                isAway = true;
                log.warn("the database is away: {}; calls are refused and deliveries pause until it is back", why(e));
            }
            log.debug("no heartbeat", e);
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("no heartbeat; trying again every {} s", BEAT.toSeconds(), e);
            }
            failing = true;
        }
    }

    /** The innermost cause that has words says it in those of the database or of the network. */
    private static @Nullable String why(Throwable failure) {
        String why = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            why = cause.getMessage() == null ? why : cause.getMessage();
        }
        return why;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
