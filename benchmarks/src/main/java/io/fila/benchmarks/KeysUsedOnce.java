package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;

/** As many keys as messages: after the window nothing is left of them, neither in the database nor in the broker. */
final class KeysUsedOnce {

    private static final int FEW = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long MOST_MORE_BYTES = 8 << 20;

    /** Some series begin with time, such as those of collections of garbage; one for each key would be 200,000. */
    private static final long MOST_MORE_SERIES = 20;

    private KeysUsedOnce() {}

    /** What the broker keeps: rows of buckets and records, live bytes of its heap, and lines of its metrics. */
    private record Kept(long rows, long bytes, long series) {}

    static boolean run(Path directory, int keys) throws Exception {
        try (Cluster cluster = Cluster.withoutDeliveryLog(directory, 0);
                Connection database = cluster.connect();
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            client.declareQueue(QueueSpec.of("keys"));
            ThrottleSpec throttle = ThrottleSpec.of("once", "5/1s").keyedBy("header:key");
            try (Traffic consumer = Traffic.consume(client, "keys", throttle)) {
                consumer.request(5_000);
                use(client, consumer, "few", FEW);
                Kept before = whenForgotten(cluster, database);
                use(client, consumer, "many", keys);
                Kept most = kept(cluster, database);
                Kept after = whenForgotten(cluster, database);
                System.out.printf(
                        Locale.ROOT,
                        "%d keys used once: %d rows, at the end of use %d, then %d; live heap %.1f MB, %.1f MB, then %.1f MB; %d lines"
                                + " of metrics, %d, then %d%n",
                        keys,
                        before.rows(),
                        most.rows(),
                        after.rows(),
                        before.bytes() / 1e6,
                        most.bytes() / 1e6,
                        after.bytes() / 1e6,
                        before.series(),
                        most.series(),
                        after.series());
                return after.rows() == 0
                        && after.bytes() - before.bytes() <= MOST_MORE_BYTES
                        && after.series() - before.series() <= MOST_MORE_SERIES;
            }
        }
    }

    private static void use(FilaClient client, Traffic consumer, String prefix, int keys) throws IOException {
        long until = consumer.acknowledged() + keys;
        Traffic.send(
                client,
                "keys",
                keys,
                i -> OutgoingMessage.of(OutgoingMessage.text("message").payload())
                        .header("key", prefix + "-" + i)
                        .build());
        while (consumer.acknowledged() < until) {
            Pause.of(Duration.ofMillis(50));
        }
    }

    private static Kept whenForgotten(Cluster cluster, Connection database) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (rows(database) > 0 && System.nanoTime() - end < 0) {
            Pause.of(Duration.ofSeconds(1));
        }
        // the next sweep of the queue
        Pause.of(Duration.ofSeconds(12));
        return kept(cluster, database);
    }

    private static Kept kept(Cluster cluster, Connection database) throws SQLException, IOException {
        return new Kept(
                rows(database), cluster.host().liveBytes(), cluster.host().metricLines());
    }

    private static long rows(Connection database) throws SQLException {
        try (Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery(
                        "select (select count(*) from bucket) + (select count(*) from delivery)")) {
            row.next();
            return row.getLong(1);
        }
    }
}
