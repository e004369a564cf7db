package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaSubscription;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;

/**
 * What a queue that holds a great many messages, ready and delayed, costs to work with, against one that holds none; and how soon it
 * delivers when the broker and its database have been killed and started again.
 */
final class LargeBacklog {

    private static final int ROUNDS = 5;
    private static final int MESSAGES = 20_000;
    private static final int EXPIRING = 2_000;
    private static final int CREDIT = 2_000;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final double MOST_RATIO = 1.2;
    private static final Duration SOON = Duration.ofSeconds(5);

    /** What is done to a queue. */
    private enum Work {
        ENQUEUE,
        CLAIM_AND_ACK,
        RECLAIM
    }

    private final Cluster cluster;
    private final FilaClient client;

    private LargeBacklog(Cluster cluster, FilaClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    static boolean run(Path directory, int size) throws Exception {
        try (Cluster cluster = Cluster.withoutDeliveryLog(directory, 0);
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            LargeBacklog run = new LargeBacklog(cluster, client);
            run.declare("empty");
            run.declare("full");
            run.measure("empty", "warm-up");
            run.load(size);
            boolean isFlat = run.compare();
            return isFlat & run.restart();
        }
    }

    private void declare(String queue) {
        client.declareQueue(QueueSpec.builder(queue)
                .visibilityTimeout(LEASE)
                // what expires stays away
                .retry(new QueueSpec.Retry(1_000, Duration.ofHours(1), 1.0, Duration.ofHours(1), 0.0))
                .build());
    }

    private void load(int size) throws Exception {
        Traffic.send(client, "full", size, i -> message().build());
        Traffic.send(
                client, "full", size, i -> message().delay(Duration.ofHours(12)).build());
        // what was written is flushed before anything is measured
        try (var connection = cluster.connect();
                var statement = connection.createStatement()) {
            statement.execute("vacuum (analyze) message");
            statement.execute("checkpoint");
        }
    }

    private boolean compare() throws Exception {
        Map<Work, List<Double>> empty = new EnumMap<>(Work.class);
        Map<Work, List<Double>> full = new EnumMap<>(Work.class);
        for (int round = 1; round <= ROUNDS; round++) {
            measure("empty", "empty")
                    .forEach((work, cost) -> empty.computeIfAbsent(work, key -> new ArrayList<>())
                            .add(cost));
            measure("full", "full")
                    .forEach((work, cost) ->
                            full.computeIfAbsent(work, key -> new ArrayList<>()).add(cost));
        }
        boolean isFlat = true;
        for (Work work : Work.values()) {
            double without = median(empty.getOrDefault(work, List.of()));
            double with = median(full.getOrDefault(work, List.of()));
            System.out.printf(
                    Locale.ROOT,
                    "%s: database CPU per message %.1f us with the backlog, %.1f us without: %.2fx%n",
                    work.toString().toLowerCase(Locale.ROOT).replace('_', ' '),
                    with,
                    without,
                    with / without);
            isFlat &= with <= MOST_RATIO * without;
        }
        return isFlat;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** Microseconds of the database's CPU for a message, by what was done to it. */
    private Map<Work, Double> measure(String queue, String label) throws Exception {
        Map<Work, Double> costs = new EnumMap<>(Work.class);
        costs.put(
                Work.ENQUEUE,
                cost(
                        MESSAGES,
                        () -> Traffic.send(
                                client, queue, MESSAGES, i -> message().build())));
        costs.put(Work.CLAIM_AND_ACK, cost(MESSAGES, () -> drain(queue)));
        Traffic.send(client, queue, EXPIRING, i -> message().build());
        costs.put(Work.RECLAIM, cost(EXPIRING, () -> letExpire(queue)));
        System.out.println("  " + label + " " + costs);
        return costs;
    }

    private interface Doing {

        void run() throws Exception;
    }

    private double cost(int messages, Doing doing) throws Exception {
        Pause.of(Duration.ofMillis(500));
        long before = cluster.databaseCpuMillis();
        doing.run();
        return (cluster.databaseCpuMillis() - before) * 1_000.0 / messages;
    }

    private void drain(String queue) throws IOException {
        try (Traffic consumer = Traffic.consume(client, queue)) {
            consumer.request(CREDIT);
            while (consumer.acknowledged() < MESSAGES) {
                Pause.of(Duration.ofMillis(5));
            }
        }
    }

    /** Takes messages and forgets them: from their delivery to their being away, with their leases ended. */
    private void letExpire(String queue) throws Exception {
        var taken = new CountDownLatch(EXPIRING);
        FilaSubscription subscription =
                client.subscribe(new SubscriptionSpec(queue, "forgetful", List.of()), new SubscriptionListener() {
                    @Override
                    public void onDelivery(Delivery delivery) {
                        taken.countDown();
                    }
                });
        try (subscription) {
            subscription.request(EXPIRING);
            if (!taken.await(60, TimeUnit.SECONDS)) {
                throw new IOException(taken.getCount() + " messages did not come");
            }
            Pause.of(LEASE.plusSeconds(2));
        }
    }

    private boolean restart() throws Exception {
        cluster.host().kill();
        try (Traffic consumer = Traffic.consume(client, "full")) {
            consumer.request(1);
            long began = System.nanoTime();
            cluster.host().start();
            long ready = System.nanoTime();
            long first = consumer.first().get(60, TimeUnit.SECONDS);
            double untilReady = (ready - began) / 1e9;
            double afterReady = Math.max(0, (first - ready) / 1e9);
            System.out.printf(
                    Locale.ROOT,
                    "restart after kill -9 of the broker: ready after %.1f s, the first delivery %.1f s later (at most %d s)%n",
                    untilReady,
                    afterReady,
                    SOON.toSeconds());
            return afterReady <= SOON.toSeconds();
        }
    }

    private static OutgoingMessage.Builder message() {
        return OutgoingMessage.of(OutgoingMessage.text("x".repeat(100)).payload());
    }
}
