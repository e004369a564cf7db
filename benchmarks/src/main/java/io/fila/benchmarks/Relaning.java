package io.fila.benchmarks;

import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;
import io.fila.history.DeliveredMessage;
import io.fila.history.DeliveryLog;

/** A throttle with a new key on a queue with a large backlog: every message changes its lane, while another queue goes on. */
final class Relaning {

    private static final int CUSTOMERS = 1_000;
    private static final Duration BEFORE = Duration.ofSeconds(20);
    private static final Duration FIRST_WITHIN = Duration.ofSeconds(1);
    private static final Duration ALL_WITHIN = Duration.ofSeconds(60);
    private static final double MOST_RATIO = 1.2;
    private static final Duration BETWEEN = Duration.ofMillis(10);

    private Relaning() {}

    static boolean run(Path directory, int backlog) throws Exception {
        try (Cluster cluster = new Cluster(directory, 0);
                Connection database = cluster.connect();
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            client.declareQueue(QueueSpec.of("backlog"));
            client.declareQueue(QueueSpec.of("other"));
            Traffic.send(
                    client,
                    "backlog",
                    backlog,
                    i -> OutgoingMessage.of(OutgoingMessage.text("message").payload())
                            .header("customer", "customer-" + i % CUSTOMERS)
                            .build());
            System.out.printf(Locale.ROOT, "%d messages are stored%n", backlog);
            UUID lane = lane(database);
            try (Traffic other = Traffic.consume(client, "other")) {
                other.request(1_000);
                // a new process is slow, and so is a database that has just taken in as much
                send(client, BEFORE.plus(BEFORE));
                long before = System.currentTimeMillis();
                send(client, BEFORE);
                long began = System.nanoTime();
                long during = System.currentTimeMillis();
                try (Traffic consumer = Traffic.consume(
                        client,
                        "backlog",
                        ThrottleSpec.of("per-customer", "1/1h").keyedBy("header:customer"))) {
                    consumer.request(CUSTOMERS);
                    boolean isRelaned = false;
                    while (!isRelaned && System.nanoTime() - began < 5 * ALL_WITHIN.toNanos()) {
                        send(client, Duration.ofMillis(500));
                        isRelaned = !isInLane(database, lane);
                    }
                    Duration all = Duration.ofNanos(System.nanoTime() - began);
                    Duration first = Duration.ofNanos(consumer.first().get(1, TimeUnit.MINUTES) - began);
                    Duration without = delay(cluster, before, during);
                    Duration with = delay(cluster, during, System.currentTimeMillis());
                    double ratio = (double) with.toNanos() / without.toNanos();
                    System.out.printf(
                            Locale.ROOT,
                            "a new key on %d messages: first delivery after %d ms, %s after %.1f s; delay of another queue at 99 %%"
                                    + " %.1f ms to %.1f ms before: %.2fx%n",
                            backlog,
                            first.toMillis(),
                            isRelaned ? "all in their lanes" : "NOT all in their lanes",
                            all.toMillis() / 1e3,
                            with.toNanos() / 1e6,
                            without.toNanos() / 1e6,
                            ratio);
                    return isRelaned
                            && first.compareTo(FIRST_WITHIN) <= 0
                            && all.compareTo(ALL_WITHIN) <= 0
                            && ratio <= MOST_RATIO;
                }
            }
        }
    }

    /** About a hundred a second, one by one. */
    private static void send(FilaClient client, Duration length) throws InterruptedIOException {
        long end = System.nanoTime() + length.toNanos();
        while (System.nanoTime() - end < 0) {
            client.send("other", OutgoingMessage.text("message"));
            Pause.of(BETWEEN);
        }
    }

    private static UUID lane(Connection database) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(
                        "select lane from message where queue_id = (select id from queue where name = 'backlog') limit 1");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getObject(1, UUID.class);
        }
    }

    private static boolean isInLane(Connection database, UUID lane) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(
                "select 1 from message where queue_id = (select id from queue where name = 'backlog') and state = 0 and lane = ? limit 1")) {
            statement.setObject(1, lane);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    /** Of what was stored between two moments: from then to being handed over, at 99 %. */
    private static Duration delay(Cluster cluster, long from, long to) throws Exception {
        List<Duration> delays = DeliveryLog.deliveries(cluster.deliveryLogs()).stream()
                .filter(delivery -> delivery.queue().equals("other")
                        && delivery.enqueuedAt().toEpochMilli() >= from
                        && delivery.enqueuedAt().toEpochMilli() < to)
                .map(Relaning::delay)
                .sorted()
                .toList();
        return delays.get(delays.size() * 99 / 100);
    }

    private static Duration delay(DeliveredMessage delivery) {
        return Duration.between(delivery.enqueuedAt(), delivery.to());
    }
}
