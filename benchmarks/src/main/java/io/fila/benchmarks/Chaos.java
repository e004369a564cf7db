package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaSubscription;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;
import io.fila.history.DeliveryLog;
import io.fila.history.HistoryChecker;
import io.fila.history.Report;
import io.fila.history.WindowLimit;

/**
 * Three nodes with four consumers each, on three queues under five throttles (shared by queues, keyed, of several limits), while
 * nodes are killed and stalled at random, for shorter and for longer than a token lives. Then: no window of a limit was exceeded, every
 * accepted message was delivered, and none came back after it was acknowledged.
 */
final class Chaos {

    private static final int CONSUMERS = 4;
    private static final int CREDIT = 50;
    private static final Duration VISIBILITY = Duration.ofSeconds(10);
    private static final int CUSTOMERS = 5;
    private static final List<String> QUEUES = List.of("orders", "mails", "reports");

    private static final Map<String, List<String>> LIMITS = Map.of(
            "partner", List.of("40/1s"),
            "orders-burst", List.of("10/100ms", "60/1s", "900/30s"),
            "per-customer", List.of("5/500ms"),
            "mails-slow", List.of("25/1s"),
            "per-customer-long", List.of("8/1s", "100/20s"));

    private final Cluster cluster;
    private final Harm harm;
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> returned = new ConcurrentLinkedQueue<>();

    private Chaos(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.harm = new Harm(cluster, random);
    }

    static boolean run(Path directory, Duration length) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        List<Path> logs;
        Chaos chaos;
        try (Cluster cluster = new Cluster(directory, 3)) {
            chaos = new Chaos(cluster, new Random(seed));
            chaos.run(length);
            logs = cluster.deliveryLogs();
        }
        return chaos.judge(logs);
    }

    private void run(Duration length) throws Exception {
        List<FilaClient> clients = new ArrayList<>();
        try {
            FilaClient producer =
                    FilaClient.builder().address(cluster.host().address()).build();
            clients.add(producer);
            for (String queue : QUEUES) {
                producer.declareQueue(
                        new QueueSpec(queue, VISIBILITY, new QueueSpec.Retry(1_000, null, null, null, null), null));
            }
            for (BrokerNode node : cluster.nodes()) {
                FilaClient client = FilaClient.builder().address(node.address()).build();
                clients.add(client);
                for (int i = 0; i < CONSUMERS; i++) {
                    subscribe(client, QUEUES.get(i % QUEUES.size()));
                }
            }
            long end = System.nanoTime() + length.toNanos();
            Thread producing = new Thread(() -> produce(producer, end), "producer");
            producing.start();
            while (System.nanoTime() - end < 0) {
                harm.once();
            }
            producing.join();
            drain();
        } finally {
            clients.forEach(FilaClient::close);
        }
    }

    private void subscribe(FilaClient client, String queue) {
        CompletableFuture<FilaSubscription> self = new CompletableFuture<>();
        FilaSubscription subscription =
                client.subscribe(new SubscriptionSpec(queue, "chaos", throttles(queue)), new SubscriptionListener() {
                    @Override
                    public void onDelivery(Delivery delivery) {
                        String id = delivery.message().id();
                        if (acknowledged.contains(id)) {
                            returned.add(id);
                        }
                        delivered.add(id);
                        delivery.ack().whenComplete((done, problem) -> {
                            if (problem == null && done) {
                                acknowledged.add(id);
                            }
                            self.thenAccept(one -> one.request(1));
                        });
                    }
                });
        self.complete(subscription);
        subscription.request(CREDIT);
    }

    private static List<ThrottleSpec> throttles(String queue) {
        return switch (queue) {
            case "orders" ->
                List.of(
                        throttle("partner"),
                        throttle("orders-burst"),
                        throttle("per-customer").keyedBy("header:customer"));
            case "mails" -> List.of(throttle("partner"), throttle("mails-slow"));
            default -> List.of(throttle("per-customer-long").keyedBy("header:customer"));
        };
    }

    private static ThrottleSpec throttle(String name) {
        return ThrottleSpec.of(name, LIMITS.getOrDefault(name, List.of()).toArray(String[]::new));
    }

    /** Somewhat more than the limits let through, until {@code end}. */
    private void produce(FilaClient client, long end) {
        int number = 0;
        while (System.nanoTime() - end < 0) {
            for (String queue : QUEUES) {
                List<OutgoingMessage> batch = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    batch.add(OutgoingMessage.of(OutgoingMessage.text("message").payload())
                            .header("customer", "c" + number++ % CUSTOMERS)
                            .build());
                }
                client.sendAll(queue, batch).forEach(result -> accepted.add(result.id()));
            }
            try {
                Pause.of(Duration.ofMillis(150));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void drain() throws IOException {
        System.out.printf("%n%d accepted, %d delivered; draining%n", accepted.size(), delivered.size());
        int before = -1;
        for (int idle = 0; idle < 60 && !delivered.containsAll(accepted); idle++) {
            if (delivered.size() != before) {
                before = delivered.size();
                idle = 0;
            }
            Pause.of(Duration.ofSeconds(1));
        }
        // whatever was leased and is still to come back comes back by now
        Pause.of(VISIBILITY.plusSeconds(5));
    }

    private boolean judge(List<Path> logs) throws IOException {
        Map<String, List<WindowLimit>> limits = new ConcurrentHashMap<>();
        LIMITS.forEach((name, texts) ->
                limits.put(name, texts.stream().map(WindowLimit::parse).toList()));
        Report report = HistoryChecker.check(DeliveryLog.read(logs), limits);
        System.out.print(report);
        long lost = accepted.stream().filter(id -> !delivered.contains(id)).count();
        System.out.printf(
                "accepted %d, lost %d, came back after they were acknowledged %d%n",
                accepted.size(), lost, returned.size());
        return report.isWithinLimits() && lost == 0 && returned.isEmpty();
    }
}
