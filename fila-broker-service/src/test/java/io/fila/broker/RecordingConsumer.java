package io.fila.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Settlement;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.subscription.Streams;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;

import static org.awaitility.Awaitility.await;

/**
 * A consumer connected to a node in this JVM, in the place of a gRPC stream: it notes the moment at which each message is handed
 * over, which is the moment the guarantee speaks of. Acknowledges at once unless told otherwise.
 */
public final class RecordingConsumer implements DeliverySink, AutoCloseable {

    /** A delivery and the moment it was handed over, on the clock that all nodes of this JVM share. */
    public record Handed(Delivery delivery, long at) {}

    private final List<Handed> handed = new ArrayList<>();
    private final boolean acknowledges;
    private int credit;
    private volatile Streams.Stream stream;
    private volatile ProblemException end;

    /** How often the broker said that it has nothing for it. */
    private final AtomicInteger pauses = new AtomicInteger();

    private RecordingConsumer(int credit, boolean acknowledges) {
        this.credit = credit;
        this.acknowledges = acknowledges;
    }

    /** Subscribes with endless credit, and acknowledges. */
    public static RecordingConsumer subscribe(TestBroker broker, QueueName queue, ThrottleDeclaration... throttles) {
        return subscribe(broker, queue, Integer.MAX_VALUE, true, throttles);
    }

    public static RecordingConsumer subscribe(
            TestBroker broker, QueueName queue, int credit, boolean acknowledges, ThrottleDeclaration... throttles) {
        RecordingConsumer consumer = new RecordingConsumer(credit, acknowledges);
        consumer.stream = broker.streams().open(queue, "test", List.of(throttles), consumer);
        consumer.stream.start();
        return consumer;
    }

    public static ThrottleDeclaration throttle(String name, String... limits) {
        return throttle(name, List.of(), MissingKey.SHARED_BUCKET, limits);
    }

    public static ThrottleDeclaration throttle(
            String name, List<String> key, MissingKey whenKeyMissing, String... limits) {
        return new ThrottleDeclaration(
                name,
                Arrays.stream(limits).map(limit -> Limit.parse("limits", limit)).toList(),
                key.stream().map(part -> KeyComponent.parse("key", part)).toList(),
                whenKeyMissing);
    }

    @Override
    public synchronized int credit() {
        return credit;
    }

    @Override
    public boolean deliver(List<Delivery> deliveries) {
        synchronized (this) {
            if (credit < deliveries.size()) {
                return false;
            }
            credit -= credit == Integer.MAX_VALUE ? 0 : deliveries.size();
            long now = System.nanoTime();
            deliveries.forEach(delivery -> handed.add(new Handed(delivery, now)));
        }
        if (acknowledges) {
            stream.settle(deliveries.stream()
                    .map(delivery -> new Settlement.Ack(delivery.lease()))
                    .toList());
        }
        return true;
    }

    @Override
    public void end(ProblemException reason) {
        end = reason;
    }

    @Override
    public void nothingNow() {
        pauses.incrementAndGet();
    }

    /** Returns when the broker has looked, after this call, and found nothing more that may go now. */
    public void awaitNothing() {
        int before = pauses.get();
        stream.credited();
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> pauses.get() > before);
    }

    public ProblemException end() {
        return end;
    }

    public Streams.Stream stream() {
        return stream;
    }

    public void request(int more) {
        synchronized (this) {
            credit += more;
        }
        stream.credited();
    }

    public synchronized List<Handed> handed() {
        return List.copyOf(handed);
    }

    public synchronized int count() {
        return handed.size();
    }

    /** The most deliveries of several consumers in any half-open window, of those that {@code which} accepts. */
    public static int mostInAny(Duration window, List<RecordingConsumer> consumers, Predicate<Delivery> which) {
        return mostInAny(
                window,
                consumers.stream()
                        .flatMap(consumer -> consumer.handed().stream())
                        .filter(one -> which.test(one.delivery()))
                        .map(Handed::at)
                        .toList());
    }

    /** The most of these moments in any half-open window. */
    public static int mostInAny(Duration window, Collection<Long> moments) {
        long[] times = moments.stream().mapToLong(Long::longValue).sorted().toArray();
        int most = 0;
        for (int from = 0, to = 0; to < times.length; to++) {
            while (times[to] - times[from] >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    public int mostInAny(Duration window) {
        return mostInAny(window, List.of(this), delivery -> true);
    }

    @Override
    public void close() {
        stream.close();
    }
}
