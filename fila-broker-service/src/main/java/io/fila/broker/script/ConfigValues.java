package io.fila.broker.script;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.stereotype.Service;

/**
 * The runtime configuration that scripts read: texts by key, few and short, since every node keeps all of them at hand. A change is seen
 * by scripts on this node at once, and on the others within a second. Safe for use by several threads; calls block on the
 * database.
 */
@Service
public class ConfigValues {

    /** How many entries there are at most. */
    public static final int MOST_ENTRIES = 1_000;

    /** The most bytes of a value, in UTF-8. */
    public static final int LONGEST_VALUE = 4_096;

    /** The first statement of each change, so that changes are made one after the other. */
    private static final String NEXT_VERSION = "update config_version set version = version + 1";

    private static final String COUNT_OTHERS = "select count(*) from config where key <> ?";

    private static final String PUT = """
            insert into config (key, value)
            values (?, ?)
            on conflict (key) do update set value = excluded.value, updated_at = clock_timestamp()
            returning key, value, updated_at
            """;

    private static final String LIST =
            "select key, value, updated_at from config where starts_with(key, ?) order by key collate \"C\"";

    private final Database database;
    private final ConfigSnapshot snapshot;

    ConfigValues(Database database, ConfigSnapshot snapshot) {
        this.database = database;
        this.snapshot = snapshot;
    }

    /** Sets a value, or throws {@code invalid-request}: a key like a queue's name, a value that is not too long, not too many of them. */
    public ConfigEntry put(String key, String value) {
        requireKey(key);
        requireValue(value);
        ConfigEntry entry = database.inTransaction("store a configuration value", connection -> {
            update(connection, NEXT_VERSION);
            requireRoom(connection, key);
            try (PreparedStatement statement = connection.prepareStatement(PUT)) {
                statement.setString(1, key);
                statement.setString(2, value);
                return entries(statement).get(0);
            }
        });
        snapshot.refresh();
        return entry;
    }

    /** The entry, or {@code config-not-found}. */
    public ConfigEntry get(String key) {
        requireKey(key);
        return list(key).stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow(() -> notFound(key));
    }

    /** The entries whose keys begin with {@code prefix}, by key. */
    public List<ConfigEntry> list(String prefix) {
        return database.run("read the configuration", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(LIST)) {
                statement.setString(1, prefix);
                return entries(statement);
            }
        });
    }

    /** Removes the entry, or throws {@code config-not-found}. */
    public void delete(String key) {
        requireKey(key);
        database.inTransactionWithoutResult("delete a configuration value", connection -> {
            update(connection, NEXT_VERSION);
            if (update(connection, "delete from config where key = ?", key) == 0) {
                throw notFound(key);
            }
        });
        snapshot.refresh();
    }

    private static void requireKey(String key) {
        Names.require("key", key);
    }

    private static void requireValue(String value) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LONGEST_VALUE) {
            throw ProblemException.invalid(
                    "value: expected at most %d bytes in UTF-8, got %d".formatted(LONGEST_VALUE, bytes));
        }
        if (value.indexOf(0) >= 0) {
            throw ProblemException.invalid("value: expected text without NUL characters (U+0000), got one");
        }
    }

    private static void requireRoom(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT_OTHERS)) {
            statement.setString(1, key);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getInt(1) >= MOST_ENTRIES) {
                    throw ProblemException.invalid(
                            "key: expected at most %d entries in all, and there are as many; delete some"
                                    .formatted(MOST_ENTRIES));
                }
            }
        }
    }

    private static int update(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private static List<ConfigEntry> entries(PreparedStatement statement) throws SQLException {
        List<ConfigEntry> entries = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                entries.add(new ConfigEntry(
                        row.getString(1),
                        row.getString(2),
                        row.getObject(3, OffsetDateTime.class).toInstant()));
            }
        }
        return entries;
    }

    private static ProblemException notFound(String key) {
        return new ProblemException(
                ProblemCode.CONFIG_NOT_FOUND,
                "key: there is no configuration value '%s'; set it with PUT /api/v1/config/%s".formatted(key, key));
    }
}
