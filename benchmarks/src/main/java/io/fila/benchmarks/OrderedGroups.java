package io.fila.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.FilaSubscription;
import io.fila.client.Nack;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import org.jspecify.annotations.Nullable;

/**
 * A thousand ordering groups on three nodes with four consumers each, which acknowledge, fail, give back and forget messages, while
 * nodes are killed and stalled at random. Then: never were two messages of a group in flight, every group came in its order, and all
 * of it came.
 */
final class OrderedGroups {

    private static final String QUEUE = "accounts";
    private static final int GROUPS = 1_000;
    private static final int CONSUMERS = 4;
    private static final int CREDIT = 50;
    private static final int BATCH = 20;
    private static final Duration VISIBILITY = Duration.ofSeconds(5);

    private final Cluster cluster;
    private final Harm harm;
    private final Group[] groups = new Group[GROUPS];
    private final AtomicLong deliveries = new AtomicLong();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

    private OrderedGroups(Cluster cluster, Random random) {
        this.cluster = cluster;
        this.harm = new Harm(cluster, random);
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = new Group();
        }
    }

    /** What has been seen of a group, whose messages are numbered from 0. */
    private static final class Group {

        /** How many were accepted; only the producer writes it. */
        volatile int accepted;

        /** The highest number that was delivered. */
        int highest = -1;

        /** So many, from the first on, were acknowledged, or somebody tried to. */
        int finished;

        /** Null if it is its turn, else what is wrong. */
        synchronized @Nullable String delivered(int number) {
            if (number < highest) {
                return "%d came after %d".formatted(number, highest);
            }
            if (number > finished) {
                return "%d came while %d was not finished".formatted(number, finished);
            }
            highest = number;
            return null;
        }

        synchronized void finishing(int number) {
            finished = Math.max(finished, number + 1);
        }

        synchronized boolean isDone() {
            return finished == accepted;
        }
    }

    static boolean run(Path directory, Duration length) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        OrderedGroups run;
        try (Cluster cluster = Cluster.withoutDeliveryLog(directory, 3)) {
            run = new OrderedGroups(cluster, new Random(seed));
            run.run(length);
        }
        return run.judge();
    }

    private void run(Duration length) throws Exception {
        List<FilaClient> clients = new ArrayList<>();
        try {
            FilaClient producer =
                    FilaClient.builder().address(cluster.host().address()).build();
            clients.add(producer);
            producer.declareQueue(QueueSpec.builder(QUEUE)
                    .visibilityTimeout(VISIBILITY)
                    .retry(new QueueSpec.Retry(1_000, Duration.ofMillis(50), 1.0, Duration.ofMillis(50), 0.5))
                    .ordering(QueueSpec.Ordering.by("header:group"))
                    .build());
            for (BrokerNode node : cluster.nodes()) {
                FilaClient client = FilaClient.builder().address(node.address()).build();
                clients.add(client);
                for (int i = 0; i < CONSUMERS; i++) {
                    subscribe(client);
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

    private void subscribe(FilaClient client) {
        CompletableFuture<FilaSubscription> self = new CompletableFuture<>();
        FilaSubscription subscription =
                client.subscribe(new SubscriptionSpec(QUEUE, "ordered", List.of()), new SubscriptionListener() {
                    @Override
                    @SuppressWarnings("FutureReturnValueIgnored") // what is not settled comes again
                    public void onDelivery(Delivery delivery) {
                        handle(delivery);
                        self.thenAccept(one -> one.request(1));
                    }
                });
        self.complete(subscription);
        subscription.request(CREDIT);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is not settled comes again
    private void handle(Delivery delivery) {
        deliveries.incrementAndGet();
        int name = Integer.parseInt(delivery.message().headers().get("group"));
        int number = Integer.parseInt(delivery.message().payload().asText());
        Group group = groups[name];
        @Nullable String violation = group.delivered(number);
        if (violation != null) {
            violations.add("group %d: %s".formatted(name, violation));
        }
        int choice = ThreadLocalRandom.current().nextInt(1_000);
        if (choice < 900) {
            group.finishing(number);
            delivery.ack();
        } else if (choice < 950) {
            delivery.nack(Nack.failed("no"));
        } else if (choice < 995) {
            delivery.release();
        }
        // or its lease expires
    }

    private void produce(FilaClient client, long end) {
        int next = 0;
        while (System.nanoTime() - end < 0) {
            List<OutgoingMessage> batch = new ArrayList<>();
            int first = next;
            for (int i = 0; i < BATCH; i++) {
                int name = (first + i) % GROUPS;
                batch.add(OutgoingMessage.of(OutgoingMessage.text(Integer.toString(groups[name].accepted))
                                .payload())
                        .header("group", Integer.toString(name))
                        .build());
            }
            client.sendAll(QUEUE, batch);
            for (int i = 0; i < BATCH; i++) {
                groups[(first + i) % GROUPS].accepted++;
            }
            next = (first + BATCH) % GROUPS;
            try {
                Pause.of(Duration.ofMillis(50));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void drain() throws IOException {
        System.out.printf("%n%d accepted, %d deliveries; draining%n", accepted(), deliveries.get());
        long before = -1;
        for (int idle = 0; idle < 60 && unfinished() > 0; idle++) {
            if (deliveries.get() != before) {
                before = deliveries.get();
                idle = 0;
            }
            Pause.of(Duration.ofSeconds(1));
        }
        // whatever was leased and is still to come back comes back by now
        Pause.of(VISIBILITY.plusSeconds(5));
    }

    private long accepted() {
        long sum = 0;
        for (Group group : groups) {
            sum += group.accepted;
        }
        return sum;
    }

    private int unfinished() {
        int count = 0;
        for (Group group : groups) {
            count += group.isDone() ? 0 : 1;
        }
        return count;
    }

    private boolean judge() {
        violations.stream().limit(20).forEach(System.out::println);
        System.out.printf(
                "accepted %d in %d groups, %d deliveries, %d out of turn, %d groups unfinished%n",
                accepted(), GROUPS, deliveries.get(), violations.size(), unfinished());
        return violations.isEmpty() && unfinished() == 0;
    }
}
