package io.fila.broker.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages between nodes by {@code LISTEN} and {@code NOTIFY}: quick, and lost when a connection is. Whoever listens is told when
 * that may have happened. Listening holds one connection; sending takes one for a moment.
 */
public final class Notifications implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Notifications.class);
    private static final int WAIT_MILLIS = 1_000;

    /** So often the connection is tried, since one that is only read from looks the same when the server has vanished. */
    private static final long TRY_NANOS = Duration.ofSeconds(10).toNanos();

    private static final int TRY_MILLIS = 5_000;
    private static final long RETRY_MILLIS = 1_000;

    private final String channel;
    private final Database database;
    private final DataSource dataSource;
    private final Object lock = new Object();
    private @Nullable Thread thread;
    private volatile boolean closed;

    /** @param channel an identifier */
    public Notifications(String channel, Database database, DataSource dataSource) {
        this.channel = channel;
        this.database = database;
        this.dataSource = dataSource;
    }

    /** Sends texts of less than 8,000 bytes to all nodes, this one too. */
    public void send(Collection<String> texts) {
        database.run("notify other nodes", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select pg_notify(?, text) from unnest(?::text[]) as text")) {
                statement.setString(1, channel);
                statement.setArray(2, connection.createArrayOf("text", texts.toArray()));
                return statement.execute();
            }
        });
    }

    /** Listens on a thread of its own; {@code interrupted} is called whenever texts may have been missed. */
    public void listen(Consumer<String> receiver, Runnable interrupted) {
        Thread listener = new Thread(() -> listenUntilClosed(receiver, interrupted), "fila-listener");
        listener.setDaemon(true);
        thread = listener;
        listener.start();
    }

    @Override
    public void close() {
        closed = true;
        synchronized (lock) {
            lock.notifyAll();
        }
        Thread listener = thread;
        if (listener != null) {
            try {
                listener.join(2L * WAIT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void listenUntilClosed(Consumer<String> receiver, Runnable interrupted) {
        while (!closed) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(true);
                connection.setNetworkTimeout(Runnable::run, TRY_MILLIS);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("listen " + channel);
                }
                interrupted.run();
                receive(connection, receiver);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("unlisten *");
                }
            } catch (SQLException | ProblemException e) {
                log.debug("not listening to other nodes; trying again", e);
                pause();
            }
        }
    }

    private void receive(Connection connection, Consumer<String> receiver) throws SQLException {
        PGConnection listening = connection.unwrap(PGConnection.class);
        long tried = System.nanoTime();
        while (!closed) {
            PGNotification[] notifications = listening.getNotifications(WAIT_MILLIS);
            if (System.nanoTime() - tried >= TRY_NANOS) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("select 1");
                }
                tried = System.nanoTime();
            }
            if (notifications == null) {
                continue;
            }
            for (PGNotification notification : notifications) {
                try {
                    receiver.accept(notification.getParameter());
                } catch (RuntimeException e) {
                    log.warn("could not take in a notification", e);
                }
            }
        }
    }

    private void pause() {
        synchronized (lock) {
            if (!closed) {
                try {
                    lock.wait(RETRY_MILLIS);
                } catch (InterruptedException e) {
                    closed = true;
                }
            }
        }
    }
}
