package io.fila.broker.message;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.clock.Timeline;
import io.fila.broker.jdbc.Sql;
import io.fila.broker.message.SettlementStore.Failed;
import io.fila.broker.message.SettlementStore.Fate;
import io.fila.broker.message.SettlementStore.Leased;
import io.fila.broker.message.SettlementStore.Outcome;
import io.fila.broker.message.SettlementStore.Ready;
import io.fila.broker.throttle.ActiveThrottle;
import io.fila.broker.throttle.Bucket;
import io.fila.broker.throttle.Keyed;
import io.fila.broker.throttle.ThrottlesInForce;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Ends leases whose messages were refused downstream, and closes buckets, in one transaction.
 *
 * <p>Lock order: the timeline, since a deadline written by a clock that was set would be moved like those before it; messages in
 * the order of their names; buckets in id order, last (I6). It waits for buckets, so that no closing is missed; but whoever holds
 * one waits for nobody: a claim passes over what it cannot have.
 */
@Component
class RefusalStore {

    private static final String RETURN = Sql.load(RefusalStore.class, "return_refused");
    private static final String CLOSE = Sql.load(RefusalStore.class, "close_buckets");

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Timeline timeline;
    private final SettlementStore settlements;

    RefusalStore(Timeline timeline, SettlementStore settlements) {
        this.timeline = timeline;
        this.settlements = settlements;
    }

    /** What became of a batch: the calls that were carried out, what that did, and the calls of which nothing was done. */
    record Result(List<Leases.Call> accepted, Outcome outcome, Map<Leases.Call, ClosingRefusedException> refused) {}

    private record Properties(@Nullable String fairnessKey, Map<String, String> headers, Map<String, String> attributes)
            implements Keyed {}

    /** A message that goes back without losing its attempt. */
    private record Returned(Leased leased, long delayMillis) {}

    private record Closed(Bucket bucket, long millis) {

        Closed orLonger(Closed other) {
            return millis >= other.millis ? this : other;
        }
    }

    /** What a call, or a batch of them, comes to. */
    private record Plan(List<Returned> returned, List<Failed> failed, Map<UUID, Closed> closed) {

        Plan() {
            this(new ArrayList<>(), new ArrayList<>(), new HashMap<>());
        }

        void add(Plan other) {
            returned.addAll(other.returned);
            failed.addAll(other.failed);
            other.closed.values().forEach(this::close);
        }

        void close(Closed one) {
            closed.merge(one.bucket().id(), one, Closed::orLonger);
        }
    }

    Result settle(List<Leases.Call> batch) {
        return timeline.inTransaction("close buckets", connection -> {
            Map<Leased, Properties> held = lock(connection, batch);
            Map<Long, List<ActiveThrottle>> throttles = new HashMap<>();
            Map<Leases.Call, ClosingRefusedException> refused = new IdentityHashMap<>();
            List<Leases.Call> accepted = new ArrayList<>();
            Plan plan = new Plan();
            for (Leases.Call call : batch) {
                if (!throttles.containsKey(call.queueId())) {
                    throttles.put(call.queueId(), ThrottlesInForce.on(connection, call.queueId()));
                }
                try {
                    plan.add(plan(call, throttles.get(call.queueId()), held));
                    accepted.add(call);
                } catch (ClosingRefusedException e) {
                    refused.put(call, e);
                }
            }
            Outcome outcome = settlements.settle(connection, accepted, plan.failed());
            giveBack(connection, plan.returned(), outcome);
            close(connection, plan.closed().values());
            return new Result(accepted, outcome, refused);
        });
    }

    private static Plan plan(Leases.Call call, List<ActiveThrottle> throttles, Map<Leased, Properties> held) {
        Plan plan = new Plan();
        for (Settlement settlement : call.settlements()) {
            if (!(settlement instanceof Settlement.Refused refused)) {
                continue;
            }
            Closing.requireInForce(call.queue(), throttles, refused.closeBucketsOf());
            Leased leased = SettlementStore.leased(call.queueId(), refused.lease());
            Properties message = held.get(leased);
            if (message == null) {
                continue;
            }
            List<Bucket> buckets = Closing.bucketsOf(message, refused.lease(), throttles, refused.closeBucketsOf());
            long closing = refused.closeBucketsFor().toMillis();
            Duration retryAfter = refused.retryAfter();
            long delay = retryAfter == null ? 0 : retryAfter.toMillis();
            if (buckets.isEmpty()) {
                plan.failed.add(new Failed(
                        leased, call.consumer(), "nack", refused.error(), Math.max(delay, closing), Fate.BY_POLICY));
            } else {
                plan.returned.add(new Returned(leased, delay));
                buckets.forEach(bucket -> plan.close(new Closed(bucket, closing)));
            }
        }
        return plan;
    }

    private static Map<Leased, Properties> lock(Connection connection, List<Leases.Call> batch) throws SQLException {
        Map<Leased, Properties> held = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(SettlementStore.LOCK)) {
            SettlementStore.bind(connection, statement, SettlementStore.sortedLeases(batch));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    held.put(
                            SettlementStore.leased(row),
                            new Properties(
                                    row.getString(4),
                                    TextMaps.fromJson(row.getString(5)),
                                    TextMaps.fromJson(row.getString(6))));
                }
            }
        }
        return held;
    }

    private static void giveBack(Connection connection, List<Returned> returned, Outcome outcome) throws SQLException {
        if (returned.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(RETURN)) {
            SettlementStore.bind(
                    connection,
                    statement,
                    returned.stream().map(Returned::leased).toList());
            statement.setArray(4, array(connection, "bigint", returned, Returned::delayMillis));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    outcome.done().add(SettlementStore.leased(row));
                    OffsetDateTime at = row.getObject(5, OffsetDateTime.class);
                    outcome.ready()
                            .add(new Ready(
                                    row.getLong(1),
                                    row.getObject(4, UUID.class),
                                    row.getLong(2),
                                    at == null ? null : at.toInstant()));
                }
            }
        }
    }

    private static void close(Connection connection, Collection<Closed> closed) throws SQLException {
        if (closed.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(CLOSE)) {
            statement.setArray(
                    1, array(connection, "uuid", closed, one -> one.bucket().id()));
            statement.setArray(
                    2, array(connection, "text", closed, one -> one.bucket().throttle()));
            statement.setArray(3, array(connection, "text", closed, one -> {
                List<String> values = one.bucket().keyValues();
                return values == null ? null : JSON.writeValueAsString(values);
            }));
            statement.setArray(4, array(connection, "bigint", closed, Closed::millis));
            statement.executeUpdate();
        }
    }

    private static <T> Array array(
            Connection connection, String type, Collection<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }
}
