package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.fila.client.FilaClient;
import io.fila.client.MissingKey;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;
import io.fila.history.DeliveredMessage;
import io.fila.history.DeliveryLog;

/**
 * What a large backlog that a bucket holds costs those messages of its queue that may go: their delay, and the database's work, with and
 * without it, in one run.
 */
final class HeldBacklog {

    private static final int HELD = 100_000;
    private static final int FREE_AT_ONCE = 10;
    private static final Duration BETWEEN_FREE = Duration.ofMillis(20);
    private static final Duration WARM_UP = Duration.ofSeconds(10);
    private static final double MOST_RATIO = 1.2;

    /** After that the lanes are taken in, and the database has vacuumed what was loaded. */
    private static final Duration SETTLING = Duration.ofSeconds(15);

    private final Cluster cluster;
    private final FilaClient client;

    private HeldBacklog(Cluster cluster, FilaClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    /** What the free messages of one part of the run came to. */
    private record Cost(Duration delay, double cpuMillis) {}

    static boolean run(Path directory, Duration length) throws Exception {
        try (Cluster cluster = new Cluster(directory, 0);
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            HeldBacklog run = new HeldBacklog(cluster, client);
            run.measure("warm-up", 1, 0, WARM_UP);
            Cost without = run.measure("without", 1, 0, length);
            Cost oneLane = run.measure("one-lane", 1, HELD, length);
            Cost manyLanes = run.measure("many-lanes", HELD, HELD, length);
            return compare("100,000 messages held by one bucket", oneLane, without)
                    & compare("100,000 lanes held by one bucket", manyLanes, without);
        }
    }

    private static boolean compare(String what, Cost with, Cost without) {
        double delay = (double) with.delay().toNanos() / without.delay().toNanos();
        double cpu = with.cpuMillis() / without.cpuMillis();
        System.out.printf(
                Locale.ROOT,
                "%s: delay at 99 %% %.1f ms to %.1f ms without: %.2fx; database CPU per delivery %.3f ms to %.3f ms: %.2fx%n",
                what,
                with.delay().toNanos() / 1e6,
                without.delay().toNanos() / 1e6,
                delay,
                with.cpuMillis(),
                without.cpuMillis(),
                cpu);
        return delay <= MOST_RATIO && cpu <= MOST_RATIO;
    }

    /** A queue with {@code held} messages in {@code lanes} lanes that one bucket holds, and 500 free messages a second beside. */
    private Cost measure(String queue, int lanes, int held, Duration length) throws Exception {
        client.declareQueue(QueueSpec.of(queue));
        ThrottleSpec throttle =
                ThrottleSpec.of(queue, "20/1s").keyedBy("header:held").whenKeyMissing(MissingKey.UNTHROTTLED);
        try (Traffic consumer = Traffic.consume(client, queue, throttle)) {
            // it is subscribed: what is stored from then on need not be moved to the lanes of a new key
            Pause.of(Duration.ofSeconds(2));
            Traffic.send(
                    client,
                    queue,
                    held,
                    i -> message()
                            .header("held", "yes")
                            .fairnessKey("lane-" + i % lanes)
                            .build());
            consumer.request(1_000);
            Pause.of(SETTLING);
            long cpuBefore = cluster.databaseCpuMillis();
            long handledBefore = consumer.handled();
            long end = System.nanoTime() + length.toNanos();
            while (System.nanoTime() - end < 0) {
                Traffic.send(
                        client,
                        queue,
                        FREE_AT_ONCE,
                        i -> message().header("free", "yes").build());
                Pause.of(BETWEEN_FREE);
            }
            double cpu = (double) (cluster.databaseCpuMillis() - cpuBefore) / (consumer.handled() - handledBefore);
            return new Cost(freeDelay(queue), cpu);
        }
    }

    private static OutgoingMessage.Builder message() {
        return OutgoingMessage.of(OutgoingMessage.text("message").payload());
    }

    /** From being stored to being handed over, at 99 %. */
    private Duration freeDelay(String queue) throws IOException {
        List<Duration> delays = DeliveryLog.deliveries(cluster.deliveryLogs()).stream()
                .filter(delivery ->
                        delivery.queue().equals(queue) && delivery.buckets().isEmpty())
                .map(HeldBacklog::delay)
                .sorted()
                .toList();
        return delays.get(delays.size() * 99 / 100);
    }

    private static Duration delay(DeliveredMessage delivery) {
        return Duration.between(delivery.enqueuedAt(), delivery.to());
    }
}
