package io.fila.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;

/**
 * A day in small: messages come and go at half of what is possible, first undisturbed, then for a sixth of the time beside a
 * transaction that holds its snapshot, so that nothing dead can be removed, then undisturbed again. Tables and indexes must not grow
 * beyond a plateau while nobody disturbs, and afterwards dead rows must go and the messages be kept up with again.
 */
final class Soak {

    private static final String QUEUE = "soak";
    private static final int CREDIT = 2_000;
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);
    private static final double PLATEAU = 1.25;

    private static final String SIZES = """
            select sum(pg_relation_size(relid)), sum(pg_indexes_size(relid)), sum(n_dead_tup)
            from pg_stat_user_tables
            where relname in ('message', 'bucket', 'delivery')
            """;

    private final Cluster cluster;
    private final FilaClient client;

    private Soak(Cluster cluster, FilaClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    /** What the tables were like at a moment, in bytes and rows, and how many messages waited. */
    private record Look(long tables, long indexes, long dead, long waiting) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "tables %.1f MB, indexes %.1f MB, %d dead rows, %d waiting",
                    tables / 1e6,
                    indexes / 1e6,
                    dead,
                    waiting);
        }

        static Look most(List<Look> looks) {
            return looks.stream()
                    .reduce(
                            new Look(0, 0, 0, 0),
                            (a, b) -> new Look(
                                    Math.max(a.tables, b.tables),
                                    Math.max(a.indexes, b.indexes),
                                    Math.max(a.dead, b.dead),
                                    Math.max(a.waiting, b.waiting)));
        }
    }

    static boolean run(Path directory, Duration length) throws Exception {
        try (Cluster cluster = Cluster.withoutDeliveryLog(directory, 0);
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            return new Soak(cluster, client).run(length);
        }
    }

    private boolean run(Duration length) throws Exception {
        client.declareQueue(QueueSpec.of(QUEUE));
        try (Traffic consumer = Traffic.consume(
                        client, QUEUE, ThrottleSpec.of("soak", "1000000/1s").keyedBy("header:customer"));
                Connection watch = cluster.connect();
                Connection holder = cluster.connect()) {
            consumer.request(CREDIT);
            double rate = most(consumer) / 2;
            System.out.printf(Locale.ROOT, "half of what is possible: %.0f/s%n", rate);
            Duration sixth = length.dividedBy(6);
            // grows to its plateau
            phase("growing", rate, sixth, consumer, watch);
            Look first = Look.most(phase("first", rate, sixth, consumer, watch));
            Look second = Look.most(phase("second", rate, sixth, consumer, watch));
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = holder.createStatement()) {
                // the broker's database ends transactions that do nothing for long, and this one is to
                statement.execute("set idle_in_transaction_session_timeout = 0");
                statement.execute("select count(*) from queue");
            }
            Look held = Look.most(phase("beside a held snapshot", rate, sixth, consumer, watch));
            holder.rollback();
            phase("recovering", rate, sixth, consumer, watch);
            Look after = Look.most(phase("recovered", rate, sixth, consumer, watch));

            boolean isFlat =
                    second.tables() <= PLATEAU * first.tables() && second.indexes() <= PLATEAU * first.indexes();
            boolean hasRecovered = after.dead() <= Math.max(2 * second.dead(), held.dead() / 10)
                    && after.waiting() <= Math.max(2 * second.waiting(), rate);
            System.out.printf("no growth beyond a plateau: %s; recovered: %s%n", isFlat, hasRecovered);
            return isFlat && hasRecovered;
        }
    }

    /** Messages a second that come and go when as many are sent as are taken. */
    private double most(Traffic consumer) throws Exception {
        long before = consumer.acknowledged();
        long began = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - began < Duration.ofSeconds(20).toNanos()) {
            if (sent - (consumer.acknowledged() - before) < 20_000) {
                send(1_000);
                sent += 1_000;
            } else {
                Pause.of(Duration.ofMillis(5));
            }
        }
        return (consumer.acknowledged() - before) / ((System.nanoTime() - began) / 1e9);
    }

    private List<Look> phase(String name, double rate, Duration length, Traffic consumer, Connection watch)
            throws Exception {
        List<Look> looks = new ArrayList<>();
        long began = System.nanoTime();
        long handledBefore = consumer.acknowledged();
        long sent = 0;
        long nextLook = began;
        while (System.nanoTime() - began < length.toNanos()) {
            long due = (long) (rate * (System.nanoTime() - began) / 1e9);
            if (due > sent) {
                send(due - sent);
                sent = due;
            }
            if (System.nanoTime() - nextLook >= 0) {
                looks.add(look(watch));
                nextLook += BETWEEN_LOOKS.toNanos();
            }
            Pause.of(BETWEEN);
        }
        double done = (consumer.acknowledged() - handledBefore) / (length.toNanos() / 1e9);
        System.out.printf(Locale.ROOT, "%s: %.0f/s, at most %s%n", name, done, Look.most(looks));
        return looks;
    }

    private void send(long count) {
        Traffic.send(
                client,
                QUEUE,
                count,
                i -> OutgoingMessage.of(OutgoingMessage.text("x".repeat(100)).payload())
                        .header("customer", "customer-" + i % 100)
                        .build());
    }

    private static Look look(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            long waiting;
            try (ResultSet row = statement.executeQuery("select count(*) from message where state = 0")) {
                row.next();
                waiting = row.getLong(1);
            }
            try (ResultSet row = statement.executeQuery(SIZES)) {
                row.next();
                return new Look(row.getLong(1), row.getLong(2), row.getLong(3), waiting);
            }
        }
    }
}
