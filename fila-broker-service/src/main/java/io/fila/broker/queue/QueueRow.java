package io.fila.broker.queue;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.WhenScriptFails.Policy;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** A row of table {@code queue}. What claims read and write under their fence (the throttle version) is not mapped. */
@Table("queue")
record QueueRow(
        @Id @Nullable Long id,
        String name,
        @Nullable Long deadLetterId,
        boolean paused,
        long visibilityTimeoutMs,
        int maxAttempts,
        long initialBackoffMs,
        double backoffMultiplier,
        long maxBackoffMs,
        double backoffJitter,
        @Nullable Long maxBacklog,
        List<String> laneKey,
        @Nullable List<String> orderingKey,
        boolean unorderedWhenKeyMissing,
        boolean fastDelivery,
        @Nullable Long deadLetterRetentionMs,
        @Nullable String onEnqueue,
        @Nullable String onFailure,
        boolean parkWhenScriptFails,
        @Nullable Integer deadLetterAfter) {

    static QueueRow of(QueueName name, QueueSettings settings, @Nullable Long deadLetterId) {
        RetryPolicy retry = settings.retry();
        Ordering ordering = settings.ordering();
        Duration retention = settings.deadLetterRetention();
        QueueScripts scripts = settings.scripts();
        return new QueueRow(
                null,
                name.value(),
                deadLetterId,
                false,
                settings.visibilityTimeout().toMillis(),
                retry.maxAttempts(),
                retry.initialBackoff().toMillis(),
                retry.multiplier(),
                retry.maxBackoff().toMillis(),
                retry.jitter(),
                settings.maxBacklog(),
                List.of(),
                ordering == null ? null : ordering.keyTexts(),
                ordering != null && ordering.whenKeyMissing() == WhenKeyMissing.UNORDERED,
                settings.deliveryDurability() == DeliveryDurability.FAST,
                retention == null ? null : retention.toMillis(),
                scripts.onEnqueue(),
                scripts.onFailure(),
                scripts.whenScriptFails().parks(),
                scripts.whenScriptFails().deadLetterAfter());
    }

    static QueueRow of(ResultSet row) throws SQLException {
        return new QueueRow(
                row.getLong("id"),
                row.getString("name"),
                row.getObject("dead_letter_id", Long.class),
                row.getBoolean("paused"),
                row.getLong("visibility_timeout_ms"),
                row.getInt("max_attempts"),
                row.getLong("initial_backoff_ms"),
                row.getDouble("backoff_multiplier"),
                row.getLong("max_backoff_ms"),
                row.getDouble("backoff_jitter"),
                row.getObject("max_backlog", Long.class),
                texts(row.getArray("lane_key")),
                row.getArray("ordering_key") == null ? null : texts(row.getArray("ordering_key")),
                row.getBoolean("unordered_when_key_missing"),
                row.getBoolean("fast_delivery"),
                row.getObject("dead_letter_retention_ms", Long.class),
                row.getString("on_enqueue"),
                row.getString("on_failure"),
                row.getBoolean("park_when_script_fails"),
                row.getObject("dead_letter_after", Integer.class));
    }

    private static List<String> texts(Array array) throws SQLException {
        return List.of((String[]) array.getArray());
    }

    Queue toQueue() {
        if (id == null) {
            throw new IllegalStateException("queue '" + name + "' has not been stored");
        }
        RetryPolicy retry = new RetryPolicy(
                maxAttempts,
                Duration.ofMillis(initialBackoffMs),
                backoffMultiplier,
                Duration.ofMillis(maxBackoffMs),
                backoffJitter);
        QueueSettings settings = new QueueSettings(
                Duration.ofMillis(visibilityTimeoutMs),
                retry,
                maxBacklog,
                ordering(),
                fastDelivery ? DeliveryDurability.FAST : DeliveryDurability.COMMITTED,
                deadLetterRetentionMs == null ? null : Duration.ofMillis(deadLetterRetentionMs),
                new QueueScripts(
                        onEnqueue,
                        onFailure,
                        new WhenScriptFails(parkWhenScriptFails ? Policy.PARK : Policy.REJECT, deadLetterAfter)));
        return new Queue(id, new QueueName(name), settings, paused, deadLetterId, List.copyOf(laneKey));
    }

    private @Nullable Ordering ordering() {
        WhenKeyMissing policy = unorderedWhenKeyMissing ? WhenKeyMissing.UNORDERED : WhenKeyMissing.REJECT;
        return orderingKey == null ? null : Ordering.parse("ordering", orderingKey, policy);
    }
}
