package io.fila.broker.script;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.stereotype.Component;

/**
 * All of the configuration, at hand for scripts, which cannot wait for a database. It asks a few times a second whether anything has
 * changed, and reads it anew if so. While the database is away it is as it was.
 */
@Component
class ConfigSnapshot implements Configuration, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(ConfigSnapshot.class);
    private static final Duration INTERVAL = Duration.ofMillis(250);

    private final Database database;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread refresher = new Thread(task, "fila-config");
        refresher.setDaemon(true);
        return refresher;
    });

    private volatile Values values = new Values(-1, Map.of());
    private boolean failing;

    ConfigSnapshot(Database database) {
        this.database = database;
    }

    private record Values(long version, Map<String, String> byKey) {}

    @Override
    public @Nullable String get(String key) {
        return values.byKey().get(key);
    }

    @Override
    public void afterSingletonsInstantiated() {
        thread.scheduleWithFixedDelay(this::refreshQuietly, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Reads what has changed, if anything has. */
    synchronized void refresh() {
        Values known = values;
        values = database.run("read the configuration", connection -> {
            // first the version: a change that is made meanwhile is read too early, rather than missed
            try (PreparedStatement statement = connection.prepareStatement("select version from config_version");
                    ResultSet row = statement.executeQuery()) {
                row.next();
                long version = row.getLong(1);
                return version == known.version() ? known : new Values(version, read(connection));
            }
        });
    }

    private static Map<String, String> read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select key, value from config");
                ResultSet row = statement.executeQuery()) {
            Map<String, String> byKey = new HashMap<>();
            while (row.next()) {
                byKey.put(row.getString(1), row.getString(2));
            }
            return Map.copyOf(byKey);
        }
    }

    private void refreshQuietly() {
        try {
            refresh();
            failing = false;
        } catch (RuntimeException e) {
            // the database being away is said elsewhere, and a lasting fault once
            if (!failing && !(e instanceof ProblemException)) {
                log.error("could not read the configuration of scripts; trying again", e);
            }
            failing = true;
        }
    }

    @PreDestroy
    void close() throws InterruptedException {
        thread.shutdownNow();
        thread.awaitTermination(5, TimeUnit.SECONDS);
    }
}
