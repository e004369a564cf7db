package io.fila.broker.message;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/** Dead letters as a test wants them, on a connection of its own that may also be in somebody's way. */
final class DeadLetterRows implements AutoCloseable {

    private final Connection connection;

    DeadLetterRows(String url) throws SQLException {
        connection = DriverManager.getConnection(url);
    }

    /** Stores dead letters in that state, in order, with the header {@code customer}; returns their ids. */
    List<UUID> store(QueueName queue, MessageState state, int count) {
        return ids("""
                insert into message (queue_id, id, lane, state, available_at, lease, lease_until, attempts, headers, failures,
                                     dead_lettered_at, payload_kind, payload)
                select q.id, gen_random_uuid(), md5('elsewhere')::uuid, s.state,
                       case s.state when 1 then clock_timestamp() + interval '1 hour' end,
                       case s.state when 3 then gen_random_uuid() end,
                       case s.state when 3 then clock_timestamp() + interval '1 hour' end,
                       3, jsonb_build_object('customer', 'c' || n %% 7),
                       '[{"attempt":3,"reason":"nack","error":"no","consumer":"c","at":"2030-01-31T12:00:00.000Z"}]',
                       clock_timestamp(), 0, ''
                from queue q, (select %d as state) s, generate_series(1, %d) n
                where q.name = '%s'
                order by n
                returning id
                """.formatted(state.ordinal(), count, queue.deadLetter()));
    }

    /** Stores messages of a queue which a consumer has; returns their ids. */
    List<UUID> lease(QueueName queue, int count) {
        return ids("""
                insert into message (queue_id, id, lane, state, lease, lease_until, attempts, payload_kind, payload)
                select q.id, gen_random_uuid(), md5('')::uuid, 3, gen_random_uuid(), clock_timestamp() + interval '1 hour', 1, 0, ''
                from queue q, generate_series(1, %d) n
                where q.name = '%s'
                order by n
                returning id
                """.formatted(count, queue));
    }

    /** Fails the attempt at a leased message, which is the last. */
    void fail(UUID id) {
        try (PreparedStatement statement = prepare("select queue_id, sequence, lease from message where id = ?", id);
                var row = statement.executeQuery()) {
            row.next();
            SettlementStore.Outcome outcome = new SettlementStore.Outcome();
            SettlementStore.Failed failed = new SettlementStore.Failed(
                    SettlementStore.leased(row), "c", "nack", "no", null, SettlementStore.Fate.DEAD_LETTERED);
            SettlementStore.fail(connection, List.of(failed), outcome);
            if (outcome.deadLettered().isEmpty()) {
                throw new IllegalStateException("message " + id + " is not a dead letter");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The ids in a queue, by order of arrival. */
    List<UUID> in(QueueName queue) {
        return ids(
                "select m.id from message m join queue q on q.id = m.queue_id where q.name = '%s' order by m.sequence"
                        .formatted(queue));
    }

    List<UUID> ids(String sql) {
        List<UUID> ids = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql);
                var row = statement.executeQuery()) {
            while (row.next()) {
                ids.add(row.getObject(1, UUID.class));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return ids;
    }

    long number(String sql, @Nullable Object... parameters) {
        try (PreparedStatement statement = prepare(sql, parameters);
                var row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql, @Nullable Object... parameters) {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As a parameter. */
    Object array(List<UUID> ids) {
        try {
            return connection.createArrayOf("uuid", ids.toArray());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether somebody waits for a lock that this connection holds. */
    boolean isWaitedFor() {
        return number(
                        "select count(*) from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))")
                > 0;
    }

    /** How many wait for locks, whoever holds them. */
    long waiting() {
        return number(
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
