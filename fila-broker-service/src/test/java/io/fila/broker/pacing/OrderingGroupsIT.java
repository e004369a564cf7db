package io.fila.broker.pacing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.Seeds;
import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import io.fila.broker.message.Delivery;
import io.fila.broker.message.Messages;
import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.subscription.Streams;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Many ordering groups on two nodes, with consumers that do everything a consumer can do to a message. */
class OrderingGroupsIT {

    private static final int GROUPS = 500;
    private static final int LENGTH = 6;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static TestBroker one;
    private static TestBroker other;

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        one = TestBroker.start(url);
        other = TestBroker.start(url);
    }

    @AfterAll
    static void stop() {
        other.close();
        one.close();
    }

    @Test
    void neverHasTwoOfAGroupInFlightAndKeepsTheirOrderWhateverConsumersDo() {
        Seeds.each(1, random -> {
            QueueName queue = QueueName.of("groups");
            one.bean(Queues.class)
                    .declare(
                            queue,
                            new SettingsChange(
                                    Duration.ofSeconds(1),
                                    new RetryChange(1_000, Duration.ofMillis(20), 1.0, Duration.ofMillis(20), 0.0),
                                    null,
                                    Ordering.parse("ordering", List.of("header:group"), WhenKeyMissing.REJECT),
                                    null,
                                    null));
            Record record = new Record();
            List<Consumer> consumers = new ArrayList<>();
            try {
                for (TestBroker broker : List.of(one, other)) {
                    for (int i = 0; i < 2; i++) {
                        consumers.add(new Consumer(broker, queue, record, new Random(random.nextLong())));
                    }
                }
                for (int number = 0; number < LENGTH; number++) {
                    enqueue(number % 2 == 0 ? one : other, queue, number);
                }
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(50))
                        .until(() -> record.done.get() == GROUPS * LENGTH || !record.violations.isEmpty());
            } finally {
                consumers.forEach(Consumer::close);
            }
            assertThat(record.violations).isEmpty();
            assertThat(record.lost.get()).as("leases that expired or were lost").isPositive();
        });
    }

    private static void enqueue(TestBroker broker, QueueName queue, int number) {
        List<NewMessage> batch = new ArrayList<>();
        for (int group = 0; group < GROUPS; group++) {
            Payload payload = new Payload(Integer.toString(number).getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
            // of several fairness keys, which a group does not care for
            batch.add(new NewMessage(
                    null, payload, Map.of("group", Integer.toString(group)), "t" + number % 3, 1, null, null));
        }
        broker.bean(Messages.class)
                .enqueue(queue, batch)
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    /** What all consumers together have seen. */
    private static final class Record {

        /** By group: the highest that was delivered, and how many in a row, from the first on, were given up or finished. */
        final int[] highest = new int[GROUPS];

        final int[] finished = new int[GROUPS];
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

        synchronized void delivered(int group, int number) {
            if (number < highest[group]) {
                violations.add("group %d: %d after %d".formatted(group, number, highest[group]));
            }
            if (number > finished[group]) {
                violations.add("group %d: %d, though only %d are finished".formatted(group, number, finished[group]));
            }
            highest[group] = number;
        }

        /** Before it is settled: from then on the next may come. If the settlement comes too late, the same comes again. */
        synchronized void finishing(int group, int number) {
            finished[group] = Math.max(finished[group], number + 1);
        }
    }

    /** Acknowledges, fails, gives back, buries, and forgets. */
    private static final class Consumer implements DeliverySink {

        private final TestBroker broker;
        private final QueueName queue;
        private final Record record;
        private final Random random;
        private volatile Streams.Stream stream;
        private int credit = 50;

        Consumer(TestBroker broker, QueueName queue, Record record, Random random) {
            this.broker = broker;
            this.queue = queue;
            this.record = record;
            this.random = random;
            open();
        }

        private void open() {
            stream = broker.streams().open(queue, "test", List.of(), this);
            stream.start();
        }

        @Override
        public synchronized int credit() {
            return credit;
        }

        @Override
        public boolean deliver(List<Delivery> deliveries) {
            List<Settlement> settlements = new ArrayList<>();
            synchronized (this) {
                if (credit < deliveries.size()) {
                    return false;
                }
                credit -= deliveries.size();
                for (Delivery delivery : deliveries) {
                    handle(delivery, settlements);
                }
            }
            stream.settle(settlements).whenComplete((lost, problem) -> {
                int leftAlone = deliveries.size() - settlements.size();
                record.lost.addAndGet(leftAlone + (lost == null ? 0 : lost.size()));
                if (problem == null) {
                    long finished = settlements.stream()
                            .filter(one -> !lost.contains(one.lease()))
                            .filter(Consumer::isFinal)
                            .count();
                    record.done.addAndGet((int) finished);
                }
                synchronized (this) {
                    credit += deliveries.size();
                }
                stream.credited();
            });
            return true;
        }

        private void handle(Delivery delivery, List<Settlement> settlements) {
            int group = Integer.parseInt(delivery.headers().get("group"));
            int number = Integer.parseInt(new String(delivery.payload().bytes(), StandardCharsets.UTF_8));
            record.delivered(group, number);
            int choice = random.nextInt(100);
            if (choice < 80) {
                record.finishing(group, number);
                settlements.add(new Settlement.Ack(delivery.lease()));
            } else if (choice < 87) {
                settlements.add(new Settlement.Nack(delivery.lease(), "no", null, false));
            } else if (choice < 93) {
                settlements.add(new Settlement.Release(delivery.lease()));
            } else if (choice < 97) {
                record.finishing(group, number);
                settlements.add(new Settlement.Nack(delivery.lease(), "never", null, true));
            }
            // or it is forgotten, and its lease expires
        }

        private static boolean isFinal(Settlement settlement) {
            return settlement instanceof Settlement.Ack
                    || (settlement instanceof Settlement.Nack nack && nack.deadLetter());
        }

        @Override
        public void end(ProblemException reason) {
            record.violations.add("ended: " + reason.getMessage());
        }

        void close() {
            stream.close();
        }
    }
}
