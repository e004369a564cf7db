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

import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.stereotype.Component;

/**
 * This node: its identity, its heartbeat, and whether others are alive. All times are the database's. Safe for use by several
 * threads.
 */
@Component
public class Node implements InitializingBean {

    /** Without a heartbeat for so long, a node is taken for dead. */
    public static final Duration LAPSE = Duration.ofSeconds(6);

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
    private final ScheduledExecutorService heart;

    /** Written by the heart, read by anybody. True until the first beat says otherwise. */
    private volatile boolean othersAlive = true;

    Node(Database database) {
        this.database = database;
        this.heart = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fila-heartbeat");
            thread.setDaemon(true);
            return thread;
        });
    }

    public UUID id() {
        return id;
    }

    /** Whether other nodes may be alive. */
    public boolean hasOthers() {
        return othersAlive;
    }

    @Override
    public void afterPropertiesSet() {
        beat();
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
        othersAlive = database.run("tell that this node is alive", connection -> {
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
    }

    private void beatQuietly() {
        try {
            beat();
        } catch (ProblemException e) {
            log.debug("no heartbeat: {}", e.getMessage());
        } catch (RuntimeException e) {
            log.warn("no heartbeat: {}", e.getMessage(), e);
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
