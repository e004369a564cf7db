package io.fila.broker.stats;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.fila.broker.StoredRows;
import io.fila.broker.message.MessageState;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class StatsSamplerIT {

    private static final List<String> BY_CUSTOMER = List.of("header:customer");

    private final StoredRows rows = new StoredRows();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StatsGauges gauges = new StatsGauges(registry);

    @BeforeEach
    void store() {
        long orders = rows.queue("orders");
        rows.throttle("stripe", BY_CUSTOMER, false, "2/1h");
        rows.declare(orders, "stripe", "2/1h");
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, List.of("acme")), 2, Duration.ofSeconds(5));
        rows.deliver(rows.bucket("stripe", BY_CUSTOMER, List.of("globex")), 1, Duration.ofSeconds(5));
        for (int i = 0; i < 3; i++) {
            rows.message(orders, MessageState.READY, Map.of("customer", "acme"));
        }
        rows.message(orders, MessageState.READY, Map.of("customer", "globex"));
        rows.message(orders, MessageState.DELAYED, Map.of());
        rows.message(orders, MessageState.LEASED, Map.of());
        rows.message(orders, MessageState.UNCLASSIFIED, Map.of());
        rows.message(orders - 1, MessageState.READY, Map.of());
    }

    @AfterEach
    void close() {
        rows.close();
    }

    @Test
    void showsQueuesAndThrottles() {
        newSampler().sampleQuietly();

        assertThat(gauge("fila.queue.ready", "queue", "orders")).isEqualTo(1);
        assertThat(gauge("fila.queue.throttled", "queue", "orders")).isEqualTo(3);
        assertThat(gauge("fila.queue.delayed", "queue", "orders")).isEqualTo(1);
        assertThat(gauge("fila.queue.leased", "queue", "orders")).isEqualTo(1);
        assertThat(gauge("fila.queue.unclassified", "queue", "orders")).isEqualTo(1);
        assertThat(gauge("fila.queue.ready", "queue", "orders.dlq")).isEqualTo(1);
        assertThat(gauge("fila.throttle.active_buckets", "throttle", "stripe")).isEqualTo(2);
        assertThat(gauge("fila.throttle.buckets_at_limit", "throttle", "stripe"))
                .isEqualTo(1);
        assertThat(gauge("fila.throttle.waiting", "throttle", "stripe")).isEqualTo(3);
        assertThat(registry.getMeters())
                .flatExtracting(meter -> meter.getId().getTags())
                .extracting(Tag::getValue)
                .containsOnly("orders", "orders.dlq", "stripe");
    }

    @Test
    void showsAThrottleWithoutDeliveriesAtZero() {
        rows.throttle("fresh", List.of(), false, "1/1m");
        rows.declare(rows.queue("other"), "fresh", "1/1m");

        newSampler().sampleQuietly();

        assertThat(gauge("fila.throttle.active_buckets", "throttle", "fresh")).isZero();
        assertThat(gauge("fila.throttle.buckets_at_limit", "throttle", "fresh")).isZero();
        assertThat(gauge("fila.throttle.waiting", "throttle", "fresh")).isZero();
    }

    @Test
    void hasNoSeriesForWhatIsGone() {
        newSampler().sampleQuietly();
        rows.execute("delete from message");
        rows.execute("delete from delivery");
        rows.execute("delete from queue where name = 'orders'");
        rows.execute("delete from queue where name = 'orders.dlq'");
        rows.queue("next");

        newSampler().sampleQuietly();

        assertThat(registry.getMeters())
                .extracting(Meter::getId)
                .allSatisfy(id -> assertThat(id.getName()).startsWith("fila.queue."))
                .flatExtracting(Meter.Id::getTags)
                .extracting(Tag::getValue)
                .containsOnly("next", "next.dlq");
    }

    @Test
    void hasNoSeriesWhileItCannotSample() {
        StatsSampler sampler = newSampler();
        sampler.sampleQuietly();
        rows.execute("alter table message rename to elsewhere");

        newSampler().sampleQuietly();
        assertThat(registry.getMeters()).isEmpty();

        rows.execute("alter table elsewhere rename to message");
        newSampler().sampleQuietly();
        assertThat(registry.getMeters()).isNotEmpty();
    }

    @Test
    void samplesByItselfUntilItIsClosed() throws InterruptedException {
        Set<Thread> before = samplerThreads();
        StatsSampler sampler = newSampler();

        sampler.start();

        Awaitility.await().until(() -> !registry.getMeters().isEmpty());
        rows.queue("next");
        Awaitility.await()
                .until(() ->
                        registry.find("fila.queue.ready").tag("queue", "next").gauge() != null);
        sampler.close();
        // a thread that has nothing left to do is seen for a moment more
        Awaitility.await().untilAsserted(() -> assertThat(before).containsAll(samplerThreads()));
    }

    /** Other tests' brokers have theirs. */
    private static Set<Thread> samplerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fila-stats"))
                .collect(Collectors.toSet());
    }

    /** Without anything remembered. */
    private StatsSampler newSampler() {
        Snapshots snapshots = new Snapshots(rows.database);
        return new StatsSampler(
                new Backlogs(snapshots),
                new ThrottleReader(snapshots),
                new BucketReader(snapshots),
                gauges,
                new StatsProperties(Duration.ofMillis(100)));
    }

    private double gauge(String name, String tag, String value) {
        return registry.get(name).tag(tag, value).gauge().value();
    }
}
