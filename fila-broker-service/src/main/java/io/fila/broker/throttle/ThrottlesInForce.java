package io.fila.broker.throttle;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads the throttles in force on a queue: those that a subscriber of it declares. */
public final class ThrottlesInForce {

    private static final String FIND = """
            select t.name, t.key, t.unthrottled_when_key_missing, (select min(c) from unnest(t.limit_counts) as c)
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

    /** Reads name, key, whether it does not apply without the key, and the least count of its limits. */
    public static ActiveThrottle read(ResultSet row) throws SQLException {
        List<KeyComponent> key = new ArrayList<>();
        for (String component : (String[]) row.getArray(2).getArray()) {
            key.add(KeyComponent.parse("key", component));
        }
        return new ActiveThrottle(
                row.getString(1),
                key,
                row.getBoolean(3) ? MissingKey.UNTHROTTLED : MissingKey.SHARED_BUCKET,
                row.getInt(4));
    }
}
