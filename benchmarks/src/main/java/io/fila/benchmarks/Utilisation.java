package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;
import io.fila.history.DeliveredMessage;
import io.fila.history.DeliveryLog;
import io.fila.history.HistoryChecker;
import io.fila.history.Report;
import io.fila.history.WindowLimit;

/** How much of a limit is used by a queue that has messages waiting all the time, and how soon after there is room they go. */
final class Utilisation {

    private static final int CREDIT = 5_000;

    /** So that what is measured is not how a process starts: with few messages at a time, and with many. */
    private static final List<String> WARM_UPS = List.of("20/100ms", "1000/1s");

    private static final Duration WARM_UP_LENGTH = Duration.ofSeconds(15);
    private static final Duration MOST_DELAY = Duration.ofMillis(15);

    private Utilisation() {}

    /** A limit and how much of it is to be used. */
    private record Target(String limit, double utilisation) {}

    static boolean alone(Path directory, Duration length) throws Exception {
        boolean shown = true;
        try (Cluster cluster = new Cluster(directory, 0)) {
            warmUp(cluster, List.of(cluster.host()));
            for (Target target :
                    List.of(new Target("100/1s", 0.995), new Target("1000/1s", 0.995), new Target("10/100ms", 0.98))) {
                shown &= measure(cluster, List.of(cluster.host()), target, length);
            }
        }
        return shown;
    }

    static boolean shared(Path directory, Duration length) throws Exception {
        try (Cluster cluster = new Cluster(directory, 1)) {
            List<BrokerNode> both = List.of(cluster.host(), cluster.nodes().get(0));
            warmUp(cluster, both);
            return measure(cluster, both, new Target("8/1s", 0.97), length)
                    & measure(cluster, both, new Target("100/1s", 0.97), length)
                    & measure(cluster, both, new Target("10/100ms", 0.95), length);
        }
    }

    private static void warmUp(Cluster cluster, List<BrokerNode> consumedAt) throws Exception {
        for (String limit : WARM_UPS) {
            String name = "warm-up-" + limit.replace('/', '-');
            run(cluster, consumedAt, WindowLimit.parse(limit), name, WARM_UP_LENGTH);
        }
    }

    private static boolean measure(Cluster cluster, List<BrokerNode> consumedAt, Target target, Duration length)
            throws Exception {
        WindowLimit limit = WindowLimit.parse(target.limit());
        String name = "use-" + target.limit().replace('/', '-');
        run(cluster, consumedAt, limit, name, length);
        return judge(cluster, name, limit, target.utilisation());
    }

    /** Keeps a queue of this name, under a throttle of the same name, from running dry for so long. */
    private static void run(
            Cluster cluster, List<BrokerNode> consumedAt, WindowLimit limit, String name, Duration length)
            throws Exception {
        long windows = length.dividedBy(limit.window()) + 3;
        List<FilaClient> clients = new ArrayList<>();
        List<Traffic> consumers = new ArrayList<>();
        try {
            FilaClient producer =
                    FilaClient.builder().address(cluster.host().address()).build();
            clients.add(producer);
            producer.declareQueue(new QueueSpec(name, Duration.ofMinutes(1), null, null));
            Traffic.send(producer, name, windows * limit.count(), i -> OutgoingMessage.text("message " + i));
            for (BrokerNode node : consumedAt) {
                FilaClient client = FilaClient.builder().address(node.address()).build();
                clients.add(client);
                Traffic consumer = Traffic.consume(client, name, ThrottleSpec.of(name, limit.toString()));
                consumers.add(consumer);
                consumer.request(CREDIT);
            }
            Pause.of(length);
        } finally {
            consumers.forEach(Traffic::close);
            clients.forEach(FilaClient::close);
        }
    }

    private static boolean judge(Cluster cluster, String throttle, WindowLimit limit, double least) throws IOException {
        List<DeliveredMessage> deliveries = DeliveryLog.deliveries(cluster.deliveryLogs()).stream()
                .filter(delivery -> delivery.queue().equals(throttle))
                .toList();
        Report report = HistoryChecker.check(deliveries, Map.of(throttle, List.of(limit)));
        System.out.print(report);
        double used = report.uses().get(0).utilisation();
        Duration delay = report.delayPercentile(99);
        System.out.printf(
                Locale.ROOT,
                "  %s: used %.2f %% (at least %.1f %%), room to delivery at 99 %% %.1f ms (at most %d ms)%n",
                limit,
                used * 100,
                least * 100,
                delay.toNanos() / 1e6,
                MOST_DELAY.toMillis());
        return report.isWithinLimits() && used >= least && delay.compareTo(MOST_DELAY) <= 0;
    }
}
