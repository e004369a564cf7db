package io.fila.broker.stats;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import com.github.benmanes.caffeine.cache.Ticker;
import io.fila.broker.jdbc.RecentAnswers;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.stats.Backlog.Counts;
import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.ThrottlesInForce;
import org.springframework.stereotype.Component;

/** What queues hold, read from the database. Costs an index entry for each message of the queue, and a probe for each lane. */
@Component
class Backlogs {

    private static final String COUNT = Sql.load(Backlogs.class, "count_messages");
    private static final String THROTTLES = Sql.load(Backlogs.class, "find_throttles");
    private static final String NAMES = "select name from queue order by name";

    /** In groups of messages: some hundred megabytes if all are different. */
    private static final long MAX_WEIGHT = 1_000_000;

    private final Snapshots snapshots;
    private final RecentAnswers<QueueName, Backlog> recent;

    Backlogs(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.recent = new RecentAnswers<>(
                Snapshots.AGE, this::read, backlog -> 10 + backlog.groups().size(), MAX_WEIGHT, Ticker.systemTicker());
    }

    /** Of a queue, or {@code queue-not-found}. */
    Backlog of(QueueName queue) {
        return recent.get(queue);
    }

    /** Of a queue, unless there is none of that name. */
    Optional<Backlog> find(QueueName queue) {
        try {
            return Optional.of(of(queue));
        } catch (ProblemException e) {
            if (e.code() == ProblemCode.QUEUE_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Names of all queues, those for dead letters included. */
    List<QueueName> names() {
        return snapshots.read("list queues", connection -> {
            List<QueueName> names = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(NAMES);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    names.add(new QueueName(rows.getString(1)));
                }
            }
            return names;
        });
    }

    private Backlog read(QueueName queue) {
        return snapshots.read("count the messages of queue '" + queue + "'", connection -> {
            Counts counts = count(connection, queue);
            List<ActiveThrottle> active = new ArrayList<>();
            List<DeclaredThrottle> throttles = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(THROTTLES)) {
                statement.setLong(1, counts.queueId());
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        ActiveThrottle throttle = ThrottlesInForce.read(row);
                        active.add(throttle);
                        throttles.add(new DeclaredThrottle(
                                throttle.name(),
                                throttle.limits(),
                                throttle.key(),
                                throttle.whenKeyMissing(),
                                row.getInt(6)));
                    }
                }
            }
            ReadyMessages ready = new ReadyMessages(counts.queueId(), active);
            return new Backlog(counts, throttles, ready.groups(connection));
        });
    }

    private static Counts count(Connection connection, QueueName queue) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, queue.value());
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new ProblemException(
                            ProblemCode.QUEUE_NOT_FOUND, "queue: there is no queue '%s'".formatted(queue));
                }
                OffsetDateTime oldestUnclassified = row.getObject(6, OffsetDateTime.class);
                Instant oldest = oldestUnclassified == null ? null : oldestUnclassified.toInstant();
                return new Counts(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getLong(5),
                        oldest,
                        row.getInt(7));
            }
        }
    }
}
