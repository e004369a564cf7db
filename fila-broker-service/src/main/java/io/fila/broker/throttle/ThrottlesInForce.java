package io.fila.broker.throttle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads the throttles in force on a queue: those that a subscriber of it declares. */
public final class ThrottlesInForce {

    private static final String FIND = """
            select t.name, t.key, t.unthrottled_when_key_missing, t.limit_counts, t.limit_windows_ms
            from throttle t
            where t.name in (select d.throttle from declaration d where d.queue_id = ?)
            order by t.name
            """;

    private ThrottlesInForce() {}

    /** Those of this moment, by name. */
    public static List<ActiveThrottle> on(Connection connection, long queueId) throws SQLException {
        List<ActiveThrottle> throttles = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(FIND)) {
            statement.setLong(1, queueId);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    throttles.add(read(row));
                }
            }
        }
        return throttles;
    }

    /** Reads name, key, whether it does not apply without the key, and limits from the first columns of a row. */
    public static ActiveThrottle read(ResultSet row) throws SQLException {
        List<KeyComponent> key = new ArrayList<>();
        for (String component : (String[]) row.getArray(2).getArray()) {
            key.add(KeyComponent.parse("key", component));
        }
        return new ActiveThrottle(
                row.getString(1),
                key,
                row.getBoolean(3) ? MissingKey.UNTHROTTLED : MissingKey.SHARED_BUCKET,
                limits(row, 4));
    }

    /** Reads limits from two columns: counts, and windows in milliseconds. */
    public static List<Limit> limits(ResultSet row, int first) throws SQLException {
        Integer[] counts = (Integer[]) row.getArray(first).getArray();
        Long[] windows = (Long[]) row.getArray(first + 1).getArray();
        List<Limit> limits = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            limits.add(new Limit(counts[i], Duration.ofMillis(windows[i])));
        }
        return limits;
    }
}
