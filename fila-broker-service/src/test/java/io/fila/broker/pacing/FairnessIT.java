package io.fila.broker.pacing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

import io.fila.broker.RecordingConsumer;
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
import io.fila.broker.subscription.Streams;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fila.broker.RecordingConsumer.throttle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Each group's share of what consumers on one node and on two nodes are given, from a real database, while all groups are backlogged.
 * It may be off by one percent of itself: where a quarter is due, by 0.25 percentage points.
 */
class FairnessIT {

    private static final double TOLERANCE = 0.01;
    private static final int MANY = 50_000;

    /** What a claim takes at most. */
    private static final int CLAIM = 500;

    /** Of a group that has fewer left a claim may have found too few. */
    private static final int RESERVE = 4 * CLAIM;

    private static final int BATCH = 5_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private static List<TestBroker> brokers;

    private final Ledger ledger = new Ledger();
    private final List<Consumer> consumers = new ArrayList<>();
    private QueueName queue;

    @BeforeAll
    static void start() {
        String url = TestDatabase.create();
        brokers = List.of(TestBroker.start(url), TestBroker.start(url));
    }

    @AfterAll
    static void stop() {
        brokers.forEach(TestBroker::close);
    }

    @BeforeEach
    void create() {
        queue = brokers.get(0).createQueue("fair-" + NUMBER.incrementAndGet());
    }

    @AfterEach
    void closeConsumers() {
        consumers.forEach(Consumer::close);
        consumers.clear();
    }

    /** One delivery, and the moment at which it was handed over. */
    private record Turn(@Nullable String group, Consumer consumer, long at) {}

    /** What has been enqueued, and what was delivered in the order in which it was handed over, whoever got it. */
    private static final class Ledger {

        final List<Runnable> deliveryListeners = new CopyOnWriteArrayList<>();

        private final Map<@Nullable String, Integer> enqueued = new HashMap<>();
        private final Map<@Nullable String, Integer> delivered = new HashMap<>();
        private final List<Turn> turns = new ArrayList<>();

        synchronized void enqueued(List<NewMessage> messages) {
            messages.forEach(message -> enqueued.merge(message.fairnessKey(), 1, Integer::sum));
        }

        void delivered(Consumer consumer, List<Delivery> deliveries) {
            synchronized (this) {
                long now = System.nanoTime();
                for (Delivery delivery : deliveries) {
                    turns.add(new Turn(delivery.fairnessKey(), consumer, now));
                    delivered.merge(delivery.fairnessKey(), 1, Integer::sum);
                }
            }
            deliveryListeners.forEach(Runnable::run);
        }

        synchronized int enqueued(@Nullable String group) {
            return enqueued.getOrDefault(group, 0);
        }

        synchronized int delivered(@Nullable String group) {
            return delivered.getOrDefault(group, 0);
        }

        synchronized int size() {
            return turns.size();
        }

        /**
         * From the given turn on until there are {@code count} of these groups, and what was handed over together with the last of
         * them: what was claimed together is handed over in the order of arrival, not of turns. Null: there are not so many.
         */
        synchronized @Nullable List<Turn> of(Collection<@Nullable String> groups, int from, int count) {
            int left = count;
            int to = from;
            while (to < turns.size()
                    && (left > 0
                            || to > from
                                    && turns.get(to).at() == turns.get(to - 1).at())) {
                left -= groups.contains(turns.get(to).group()) ? 1 : 0;
                to++;
            }
            return left > 0 ? null : List.copyOf(turns.subList(from, to));
        }
    }

    /** Acknowledges at once, and is ready for as many as it is told to be. */
    private final class Consumer implements DeliverySink, AutoCloseable {

        private final Streams.Stream stream;
        private final AtomicInteger unsettled = new AtomicInteger();
        private volatile IntSupplier credit = () -> 0;

        Consumer(TestBroker broker, ThrottleDeclaration... throttles) {
            stream = broker.streams().open(queue, "test", List.of(throttles), this);
            stream.start();
            consumers.add(this);
        }

        /** Is ready for another message when one has been acknowledged, and has no more than so many. */
        void work(int atATime) {
            begin(() -> atATime - unsettled.get());
        }

        void begin(IntSupplier newCredit) {
            credit = newCredit;
            stream.credited();
        }

        @Override
        public int credit() {
            return credit.getAsInt();
        }

        @Override
        public boolean deliver(List<Delivery> deliveries) {
            ledger.delivered(this, deliveries);
            unsettled.addAndGet(deliveries.size());
            stream.settle(deliveries.stream()
                            .map(delivery -> new Settlement.Ack(delivery.lease()))
                            .toList())
                    .thenRun(() -> {
                        unsettled.addAndGet(-deliveries.size());
                        stream.credited();
                    });
            return true;
        }

        @Override
        public void end(ProblemException reason) {}

        @Override
        public void close() {
            stream.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void sharesByWeight(int nodes) {
        subscribe(nodes);
        enqueue("light", 1, 15_000);
        enqueue("heavy", 3, 40_000);

        begin();

        assertShares(Map.of("light", 1, "heavy", 3), 0, MANY);
    }

    /** For each message of the quiet group that is delivered another one comes; a hundred times as many of the noisy one wait beside it. */
    @Test
    void keepsQuietGroupMovingBesideNoisyOne() {
        int backlog = 1_000;
        enqueue("noisy", 1, 100 * backlog + MANY + RESERVE);
        enqueue("quiet", 1, backlog);
        AtomicInteger replaced = new AtomicInteger();
        AtomicInteger least = new AtomicInteger(backlog);
        ledger.deliveryListeners.add(() -> {
            int delivered = ledger.delivered("quiet");
            least.accumulateAndGet(ledger.enqueued("quiet") - delivered, Math::min);
            int missing = delivered - replaced.getAndSet(delivered);
            if (missing > 0) {
                submit(brokers.get(0), Collections.nCopies(missing, message("quiet", 1, Map.of())));
            }
        });

        for (int nodes = 1; nodes <= 2; nodes++) {
            int from = ledger.size();
            subscribe(nodes);
            // a small part of what the quiet group has, so that it never runs out
            consumers.forEach(consumer -> consumer.begin(() -> backlog / 10));
            Map<@Nullable String, Integer> weights = Map.of("noisy", 1, "quiet", 1);
            List<Turn> turns = awaitTurns(weights.keySet(), from, MANY);
            assertThat(least.get()).as("messages of the quiet group left").isPositive();
            assertShares(weights, turns);
            closeConsumers();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void letsALoneMessageWaitNoLongerThanItsTurn(int nodes) {
        int noisy = 60_000;
        subscribe(nodes);
        enqueue("noisy", 1, noisy);
        begin();
        awaitTurns(List.of("noisy"), 0, RESERVE);
        List<Integer> passed = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            enqueue("quiet", 1, 1);
            int before = ledger.size();
            passed.add(awaitTurns(List.of("quiet"), 0, i).size() - before);
        }

        assertThat(ledger.delivered("noisy")).as("deliveries beside them").isLessThan(noisy);
        // the claim that was under way when it came, and the one that took it, on each node
        assertThat(passed.stream().sorted().toList().get(passed.size() / 2))
                .as("deliveries from the arrival of a message to its own, the middle of %s", passed)
                .isLessThanOrEqualTo(2 * nodes * CLAIM);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void givesAThrottledGroupItsLimitAndTheOthersTheRestByWeight(int nodes) {
        int limit = 200;
        Duration window = Duration.ofSeconds(1);
        subscribe(nodes, throttle("limit-" + queue, List.of("header:account"), MissingKey.UNTHROTTLED, limit + "/1s"));
        enqueue("held", 3, 10_000, i -> Map.of("account", "held"));
        enqueue("light", 1, 15_000);
        enqueue("heavy", 3, 40_000);

        begin();

        List<Turn> turns = assertShares(Map.of("light", 1, "heavy", 3), 0, MANY);
        List<Long> held = turns.stream()
                .filter(turn -> "held".equals(turn.group()))
                .map(Turn::at)
                .toList();
        long took = turns.get(turns.size() - 1).at() - held.get(0);
        assertThat(RecordingConsumer.mostInAny(window, held)).isEqualTo(limit);
        // all of it at the beginning, and again whenever it is back, which is noticed within a tenth of the window
        assertThat(held).hasSizeGreaterThanOrEqualTo((int) (limit * (1 + took / (window.toNanos() * 11 / 10))));
    }

    /** A node's first claim gives what room there is to the first group, once: of so many deliveries that is too little to be seen. */
    @Test
    void sharesTheRoomOfABucketByWeight() {
        subscribe(2, throttle("limit-" + queue, "1000/100ms"));
        enqueue("light", 1, 13_000);
        enqueue("heavy", 3, 33_000);

        begin();

        assertShares(Map.of("light", 1, "heavy", 3), 0, 40_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void keepsTheUnkeyedGroupApartFromEveryKey(int nodes) {
        Map<@Nullable String, Integer> weights = new HashMap<>();
        weights.put(null, 1);
        weights.put("", 2);
        weights.put("null", 3);
        weights.put("unkeyed", 4);
        subscribe(nodes);
        weights.forEach((group, weight) -> enqueue(group, weight, 1_000 * weight + 2 * RESERVE));

        begin();

        assertShares(weights, 0, 10_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void countsAGroupOfManyLanesAsOne(int nodes) {
        subscribe(nodes, throttle("limit-" + queue, List.of("header:account"), MissingKey.UNTHROTTLED, "1000000/1h"));
        enqueue("many", 1, 20_000, i -> Map.of("account", "a" + i % 1_000));
        enqueue("one", 1, 20_000);

        begin();

        assertShares(Map.of("many", 1, "one", 1), 0, 20_000);
    }

    /** They took turns whatever their weights where all of a group was in flight at a time, or one was served for ever. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 4, 4", "2, 1, 4"})
    void sharesAnOrderedQueueByWeight(int nodes, int atATime, int orderingGroups) {
        queue = QueueName.of("fair-" + NUMBER.incrementAndGet());
        brokers.get(0)
                .bean(Queues.class)
                .declare(
                        queue,
                        new SettingsChange(
                                null,
                                null,
                                null,
                                Ordering.parse("ordering", List.of("header:account"), WhenKeyMissing.REJECT),
                                null,
                                null));
        subscribe(nodes);
        enqueue("light", 1, 1_000 + RESERVE, i -> Map.of("account", "light " + i % orderingGroups));
        enqueue("heavy", 3, 2_000 + RESERVE, i -> Map.of("account", "heavy " + i % orderingGroups));
        awaitSignals();

        consumers.forEach(consumer -> consumer.work(atATime));

        assertShares(Map.of("light", 1, "heavy", 3), 0, 2_000);
    }

    @Test
    void sharesByWeightWhateverTheCreditOfNodesAndHoweverSlowAConsumer() {
        Consumer ready = new Consumer(brokers.get(0));
        Consumer narrow = new Consumer(brokers.get(1));
        Consumer slow = new Consumer(brokers.get(1));
        enqueue("light", 1, 8_000);
        enqueue("heavy", 3, 20_000);
        awaitSignals();
        ledger.deliveryListeners.add(slow.stream::credited);

        ready.begin(() -> CLAIM);
        narrow.begin(() -> 7);
        // a few of every thousand
        slow.begin(() -> ledger.size() % 1_000 < 500 ? 3 : 0);

        List<Turn> turns = assertShares(Map.of("light", 1, "heavy", 3), 0, 20_000);
        assertThat(consumers).allSatisfy(consumer -> {
            assertThat(of(turns, consumer)).isNotEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void goesByTheWeightOfTheLatestMessageOnEveryNode(int nodes) {
        subscribe(nodes);
        enqueue("changing", 1, 20_000);
        enqueue("fixed", 1, 10_000);
        begin();
        awaitTurns(List.of("changing", "fixed"), 0, 2_000);

        // one request: the last of its messages is the latest
        submit(brokers.get(0), List.of(message("changing", 7, Map.of()), message("changing", 3, Map.of())))
                .join();
        awaitSignals();
        // claimed before
        int from = ledger.size();
        from += awaitTurns(List.of("changing", "fixed"), from, RESERVE).size();

        Map<@Nullable String, Integer> weights = Map.of("changing", 3, "fixed", 1);
        List<Turn> turns = assertShares(weights, from, 10_000);
        consumers.forEach(consumer -> assertShares(weights, of(turns, consumer)));
    }

    @Test
    void goesByTheWeightOfTheLatestMessageOnNodesThatComeLater() {
        enqueue("changing", 1, 12_000);
        enqueue("fixed", 1, 6_000);
        enqueue("changing", 3, 1);

        subscribe(2);
        begin();

        assertShares(Map.of("changing", 3, "fixed", 1), 0, 10_000);
    }

    /** What one node has told the other has arrived there. */
    private void awaitSignals() {
        QueueName other = brokers.get(0).createQueue("signal-" + NUMBER.incrementAndGet());
        try (RecordingConsumer there = RecordingConsumer.subscribe(brokers.get(1), other)) {
            brokers.get(0).enqueue(other, 1, Map.of());
            await().atMost(PATIENCE).pollInterval(LOOK).until(() -> there.count() == 1);
        }
    }

    /** Has a consumer on each of so many nodes, which takes nothing yet. */
    private void subscribe(int nodes, ThrottleDeclaration... throttles) {
        brokers.subList(0, nodes).forEach(broker -> new Consumer(broker, throttles));
    }

    /** Has consumers begin when their nodes know how much waits: a lane of unknown length is asked for little at first. */
    private void begin() {
        awaitSignals();
        consumers.forEach(consumer -> consumer.begin(() -> 2 * CLAIM));
    }

    private void enqueue(@Nullable String group, int weight, int count) {
        enqueue(group, weight, count, i -> Map.of());
    }

    /** Stores messages, a batch by each node in turn. */
    private void enqueue(@Nullable String group, int weight, int count, IntFunction<Map<String, String>> headers) {
        ArrayDeque<CompletableFuture<Void>> answers = new ArrayDeque<>();
        for (int from = 0; from < count; from += BATCH) {
            List<NewMessage> batch = IntStream.range(from, Math.min(count, from + BATCH))
                    .mapToObj(i -> message(group, weight, headers.apply(i)))
                    .toList();
            answers.add(submit(brokers.get(from / BATCH % brokers.size()), batch));
            if (answers.size() > brokers.size()) {
                answers.remove().join();
            }
        }
        answers.forEach(CompletableFuture::join);
    }

    private CompletableFuture<Void> submit(TestBroker broker, List<NewMessage> messages) {
        return broker.bean(Messages.class)
                .enqueue(queue, messages)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .thenRun(() -> ledger.enqueued(messages));
    }

    private static NewMessage message(@Nullable String group, int weight, Map<String, String> headers) {
        Payload payload = new Payload("message".getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
        return new NewMessage(null, payload, headers, group, weight, null, null);
    }

    private List<Turn> awaitTurns(Collection<@Nullable String> groups, int from, int count) {
        return await().atMost(PATIENCE)
                .pollInterval(LOOK)
                .until(() -> ledger.of(groups, from, count), Objects::nonNull);
    }

    /** Asserts the shares that these groups have of the deliveries from one on; what other groups get meanwhile does not count. */
    private List<Turn> assertShares(Map<@Nullable String, Integer> weights, int from, int count) {
        List<Turn> turns = awaitTurns(weights.keySet(), from, count);
        List<Turn> before = awaitTurns(weights.keySet(), 0, from);
        weights.keySet()
                .forEach(group -> assertThat(ledger.enqueued(group)
                                - of(before, group).size()
                                - of(turns, group).size())
                        .as("messages of '%s' left", group)
                        .isGreaterThanOrEqualTo(RESERVE));
        assertShares(weights, turns);
        return turns;
    }

    private static void assertShares(Map<@Nullable String, Integer> weights, List<Turn> turns) {
        int weightOfAll = weights.values().stream().mapToInt(Integer::intValue).sum();
        int all = weights.keySet().stream()
                .mapToInt(group -> of(turns, group).size())
                .sum();
        weights.forEach((group, weight) -> {
            double due = (double) weight / weightOfAll;
            double share = (double) of(turns, group).size() / all;
            assertThat(share).as("share of '%s' of %d deliveries", group, all).isCloseTo(due, within(TOLERANCE * due));
        });
    }

    private static List<Turn> of(List<Turn> turns, @Nullable String group) {
        return turns.stream()
                .filter(turn -> Objects.equals(turn.group(), group))
                .toList();
    }

    private static List<Turn> of(List<Turn> turns, Consumer consumer) {
        return turns.stream().filter(turn -> turn.consumer() == consumer).toList();
    }
}
