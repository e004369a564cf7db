package io.fila.broker.stats;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;

/**
 * A throttle as stored: what its declarations come to, or came to when the last one ended.
 *
 * @param limits the effective ones, by window
 */
record ThrottleState(String name, List<KeyComponent> key, MissingKey whenKeyMissing, List<Limit> limits) {

    /** Reads name, key, whether messages lacking it are unthrottled, and limits from the first columns of a row. */
    static ThrottleState read(ResultSet row) throws SQLException {
        return new ThrottleState(
                row.getString(1),
                Stream.of((String[]) row.getArray(2).getArray())
                        .map(component -> KeyComponent.parse("key", component))
                        .toList(),
                row.getBoolean(3) ? MissingKey.UNTHROTTLED : MissingKey.SHARED_BUCKET,
                limits(row, 4));
    }

    /** Reads limits from two columns: counts, and windows in milliseconds. */
    static List<Limit> limits(ResultSet row, int first) throws SQLException {
        Integer[] counts = (Integer[]) row.getArray(first).getArray();
        Long[] windows = (Long[]) row.getArray(first + 1).getArray();
        List<Limit> limits = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            limits.add(new Limit(counts[i], Duration.ofMillis(windows[i])));
        }
        return limits;
    }

    /** As far as it says which bucket a message draws from. */
    ActiveThrottle drawing() {
        return new ActiveThrottle(name, key, whenKeyMissing, 0);
    }
}
