package io.fila.benchmarks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.client.FilaClient;
import io.fila.client.FilaException;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.history.DeliveryLog;
import org.jspecify.annotations.Nullable;

/** What a script costs the enqueues of its queue, and what one that never ends costs the queues beside it. */
final class ScriptCost {

    private static final int ROUNDS = 5;
    private static final int SENDERS = 2;
    private static final double LEAST_RATE = 0.8;
    private static final double MOST_DELAY = 1.2;

    private static final int WARM_UP_ROUNDS = 3;
    private static final int HOSTILE_PRODUCERS = 4;
    private static final Duration BETWEEN_HOSTILE = Duration.ofMillis(10);
    private static final int CALM_AT_ONCE = 2;
    private static final Duration BETWEEN_CALM = Duration.ofMillis(10);
    private static final Duration LENGTH = Duration.ofSeconds(10);

    private static final String SIMPLE = """
            function on_enqueue(msg)
              local attrs = {}
              if msg.headers["job_type"] == "charge" then
                attrs.stripe_account = msg.headers["customer"]
              end
              return { attributes = attrs }
            end
            """;

    private static final String REFUSING = "function on_enqueue(msg) error('no') end";
    private static final String ENDLESS = "function on_enqueue(msg) while true do end end";

    private final FilaClient client;
    private final Cluster cluster;

    private ScriptCost(Cluster cluster, FilaClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    static boolean run(Path directory, int messages) throws Exception {
        try (Cluster cluster = new Cluster(directory, 0);
                FilaClient client =
                        FilaClient.builder().address(cluster.host().address()).build()) {
            ScriptCost run = new ScriptCost(cluster, client);
            // first: what the other leaves behind is for the database to clean up
            return run.leavesOthersAlone() & run.isCheap(messages);
        }
    }

    private boolean isCheap(int messages) throws Exception {
        declare("plain", null);
        declare("simple", SIMPLE);
        enqueue("plain", messages);
        enqueue("simple", messages);
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            double plain = enqueue("plain", messages);
            double simple = enqueue("simple", messages);
            System.out.printf(Locale.ROOT, "  enqueued %.0f/s without and %.0f/s with a script%n", plain, simple);
            ratios.add(simple / plain);
        }
        ratios.sort(null);
        double median = ratios.get(ratios.size() / 2);
        System.out.printf(
                Locale.ROOT,
                "with a simple script %.1f %% of the rate without (at least %.0f %%; rounds from %.1f %% to %.1f %%)%n",
                100 * median,
                100 * LEAST_RATE,
                100 * ratios.get(0),
                100 * ratios.get(ratios.size() - 1));
        return median >= LEAST_RATE;
    }

    /** Messages a second. */
    private double enqueue(String queue, int messages) throws Exception {
        ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
        try {
            long began = System.nanoTime();
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                sent.add(senders.submit(() -> Traffic.send(client, queue, messages / SENDERS, ScriptCost::message)));
            }
            for (Future<?> one : sent) {
                one.get();
            }
            return messages / ((System.nanoTime() - began) / 1e9);
        } finally {
            senders.shutdown();
            client.admin().purge(queue);
        }
    }

    /**
     * In turn beside a queue whose script refuses everything at once, and beside one whose script never ends: both refuse, so that what
     * differs is the script. The machine is not the same from one minute to the next.
     */
    private boolean leavesOthersAlone() throws Exception {
        declare("endless", ENDLESS);
        declare("refusing", REFUSING);
        for (int round = 1; round <= WARM_UP_ROUNDS; round++) {
            delayBeside("endless", "warm-up-" + round, new AtomicLong());
        }
        List<Duration> without = new ArrayList<>();
        List<Duration> beside = new ArrayList<>();
        AtomicLong refused = new AtomicLong();
        for (int round = 1; round <= ROUNDS; round++) {
            without.add(delayBeside("refusing", "without-" + round, new AtomicLong()));
            beside.add(delayBeside("endless", "beside-" + round, refused));
            System.out.printf(
                    Locale.ROOT,
                    "  enqueue to delivery at 99 %% %.1f ms beside a script that refuses, %.1f ms beside one that never ends%n",
                    without.get(round - 1).toNanos() / 1e6,
                    beside.get(round - 1).toNanos() / 1e6);
        }
        double ratio = (double) median(beside).toNanos() / median(without).toNanos();
        System.out.printf(
                Locale.ROOT,
                "enqueue to delivery at 99 %% %.1f ms beside a script that never ends (%d enqueues refused) to %.1f ms beside one that refuses: %.2fx"
                        + " (at most %.1fx)%n",
                median(beside).toNanos() / 1e6,
                refused.get(),
                median(without).toNanos() / 1e6,
                ratio,
                MOST_DELAY);
        return ratio <= MOST_DELAY && refused.get() > 0;
    }

    private static Duration median(List<Duration> durations) {
        return durations.stream().sorted().toList().get(durations.size() / 2);
    }

    /** @param refusing the queue that refuses what producers send to it meanwhile */
    private Duration delayBeside(String refusing, String queue, AtomicLong refused) throws Exception {
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < HOSTILE_PRODUCERS; i++) {
            Thread producer = new Thread(() -> sendInVain(refusing, refused), "in-vain-" + i);
            producer.start();
            producers.add(producer);
        }
        try {
            return delay(queue);
        } finally {
            producers.forEach(Thread::interrupt);
            for (Thread producer : producers) {
                producer.join();
            }
        }
    }

    private void sendInVain(String queue, AtomicLong refused) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                client.sendAll(queue, List.of(message(0)));
                throw new IllegalStateException("the script of queue '" + queue + "' has taken a message");
            } catch (FilaException e) {
                refused.incrementAndGet();
            }
            try {
                Pause.of(BETWEEN_HOSTILE);
            } catch (InterruptedIOException e) {
                return;
            }
        }
    }

    /** From being enqueued to being handed over, at 99 %, of 200 messages a second. */
    private Duration delay(String queue) throws IOException {
        declare(queue, SIMPLE);
        try (Traffic consumer = Traffic.consume(client, queue)) {
            consumer.request(1_000);
            long end = System.nanoTime() + LENGTH.toNanos();
            while (System.nanoTime() - end < 0) {
                Traffic.send(client, queue, CALM_AT_ONCE, ScriptCost::message);
                Pause.of(BETWEEN_CALM);
            }
        }
        List<Duration> delays = DeliveryLog.deliveries(cluster.deliveryLogs()).stream()
                .filter(delivery -> delivery.queue().equals(queue))
                .map(delivery -> Duration.between(delivery.enqueuedAt(), delivery.to()))
                .sorted()
                .toList();
        return delays.get(delays.size() * 99 / 100);
    }

    private void declare(String queue, @Nullable String onEnqueue) {
        QueueSpec.Builder spec = QueueSpec.builder(queue);
        client.declareQueue(
                onEnqueue == null
                        ? spec.build()
                        : spec.scripts(new QueueSpec.Scripts(onEnqueue, null, null))
                                .build());
    }

    private static OutgoingMessage message(long number) {
        return OutgoingMessage.of(OutgoingMessage.text("message " + number).payload())
                .header("job_type", "charge")
                .header("customer", "customer-" + number % 1_000)
                .build();
    }
}
