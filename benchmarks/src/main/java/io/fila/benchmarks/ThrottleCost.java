package io.fila.benchmarks;

import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.ThrottleSpec;

/** What a limit costs that holds nothing back: how fast a backlog is delivered and acknowledged, without and with it, taking turns. */
final class ThrottleCost {

    private static final int ROUNDS = 5;
    private static final int CREDIT = 5_000;
    private static final int CUSTOMERS = 1_000;

    /** In a minute nothing here comes near it. */
    private static final String NOT_BINDING = "100000000/1m";

    private final FilaClient client;
    private final int messages;

    private ThrottleCost(FilaClient client, int messages) {
        this.client = client;
        this.messages = messages;
    }

    static boolean run(Path directory, int messages) throws Exception {
        try (Cluster cluster = Cluster.withoutDeliveryLog(directory, 0);
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            ThrottleCost run = new ThrottleCost(client, messages);
            run.drain("warm-up");
            run.drain("warm-up-2", keyed("warm-up-2"));
            List<Double> none = new ArrayList<>();
            List<Double> one = new ArrayList<>();
            List<Double> many = new ArrayList<>();
            for (int round = 1; round <= ROUNDS; round++) {
                none.add(run.drain("none-" + round));
                one.add(run.drain("one-" + round, ThrottleSpec.of("one-" + round, NOT_BINDING)));
                many.add(run.drain("many-" + round, keyed("many-" + round)));
            }
            return compare("one bucket", median(none), median(one), 0.10)
                    & compare("1,000 keyed buckets", median(none), median(many), 0.35);
        }
    }

    private static ThrottleSpec keyed(String name) {
        return ThrottleSpec.of(name, NOT_BINDING).keyedBy("header:customer");
    }

    private static boolean compare(String what, double without, double with, double most) {
        double cost = 1 - with / without;
        System.out.printf(
                Locale.ROOT,
                "a limit that does not bind, %s: %.0f/s to %.0f/s without, costs %.1f %% (at most %.0f %%)%n",
                what,
                with,
                without,
                cost * 100,
                most * 100);
        return cost <= most;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    /** Messages a second, from the first credit to the last acknowledgement. */
    private double drain(String queue, ThrottleSpec... throttles) throws InterruptedIOException {
        client.declareQueue(QueueSpec.of(queue));
        try (Traffic consumer = Traffic.consume(client, queue, throttles)) {
            // declared before they are sent, so that each goes into its lane at once
            Pause.of(Duration.ofMillis(500));
            Traffic.send(
                    client,
                    queue,
                    messages,
                    i -> OutgoingMessage.of(
                                    OutgoingMessage.text("x".repeat(100)).payload())
                            .header("customer", "customer-" + i % CUSTOMERS)
                            .build());
            // what storing has left to do to the database
            Pause.of(Duration.ofSeconds(2));
            long began = System.nanoTime();
            consumer.request(CREDIT);
            while (consumer.acknowledged() < messages) {
                Pause.of(Duration.ofMillis(5));
            }
            double rate = messages / ((System.nanoTime() - began) / 1e9);
            System.out.printf(Locale.ROOT, "  %s: %.0f/s%n", queue, rate);
            return rate;
        }
    }
}
