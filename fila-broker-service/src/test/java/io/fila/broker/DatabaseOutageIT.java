package io.fila.broker;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * PostgreSQL ends in the middle of a paced run, without a word, and comes back. Times that are promised (an enqueue fails within
 * 5 s, deliveries go on within 10 s) may take twice as long on a busy build machine.
 */
class DatabaseOutageIT {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MESSAGES = 120;
    private static final int SHORT_LIMIT = 10;
    private static final Duration SHORT_WINDOW = Duration.ofSeconds(1);

    /** Spans the outage. */
    private static final int LONG_LIMIT = 100;

    private static final Duration LONG_WINDOW = Duration.ofSeconds(40);

    /** What is measured is when the client receives, see {@link CrashIT}. */
    private static final Duration JITTER = Duration.ofMillis(500);

    /** A connection that breaks is a line of the pool's, once for each of its 16; and a few say what happened. */
    private static final int MOST_LINES = 40;

    @TempDir
    Path directory;

    private final Map<String, Integer> received = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.INFO)
                    && !event.getLoggerName().matches("io\\.(fila\\.client|zonky)\\..*")) {
                lines.add("%s %s: %s".formatted(event.getLevel(), event.getLoggerName(), event.getFormattedMessage()));
            }
        }
    };

    private OwnPostgres postgres;
    private TestBroker broker;
    private ManagedChannel channel;

    @BeforeEach
    void start() {
        postgres = OwnPostgres.start(directory);
        broker = TestBroker.start(postgres.url());
        channel = Grpc.newChannelBuilder("127.0.0.1:" + broker.grpcPort(), InsecureChannelCredentials.create())
                .build();
        log.start();
    }

    @AfterEach
    void stop() {
        root().detachAppender(log);
        channel.shutdownNow();
        broker.close();
        postgres.close();
    }

    @Test
    void losesNothingPassesNoLimitAndGoesOnByItself() throws Exception {
        try (FilaClient client = FilaClient.builder()
                .address("dns:///127.0.0.1:" + broker.grpcPort())
                .build()) {
            client.declareQueue(new QueueSpec("outage", Duration.ofSeconds(5), null, null));
            List<String> accepted = client
                    .sendAll(
                            "outage",
                            IntStream.range(0, MESSAGES)
                                    .mapToObj(i -> OutgoingMessage.text("message " + i))
                                    .toList())
                    .stream()
                    .map(result -> result.id())
                    .toList();
            SubscriptionSpec spec = new SubscriptionSpec(
                    "outage",
                    "test",
                    List.of(ThrottleSpec.of(
                            "provider", SHORT_LIMIT + "/" + SHORT_WINDOW, LONG_LIMIT + "/" + LONG_WINDOW)));
            try (var subscription = client.subscribe(spec, new Receiver())) {
                subscription.request(10 * MESSAGES);
                await().atMost(PATIENCE).until(() -> received.size() >= 25);
                root().addAppender(log);

                postgres.stopImmediately();

                // one after the other, which takes longer than others take to think that this node is dead
                for (int i = 0; i < 3; i++) {
                    assertRefusedInTime();
                }
                List<CompletableFuture<Void>> together = new ArrayList<>();
                for (int i = 0; i < 30; i++) {
                    together.add(CompletableFuture.runAsync(
                            this::assertRefusedInTime, task -> new Thread(task, "producer").start()));
                }
                together.forEach(CompletableFuture::join);
                await().atMost(PATIENCE).until(() -> readiness() == 503);
                int before = received.size();

                postgres.startAgain();

                await().atMost(Duration.ofSeconds(20)).until(() -> received.size() > before);
                await().atMost(PATIENCE).until(() -> readiness() == 200);
                await().atMost(PATIENCE).until(() -> received.keySet().containsAll(accepted));
            }
        }
        assertThat(mostWithin(LONG_WINDOW.minus(JITTER))).isLessThanOrEqualTo(LONG_LIMIT);
        assertThat(mostWithin(SHORT_WINDOW.minus(JITTER))).isLessThanOrEqualTo(SHORT_LIMIT);
        assertThat(lines).as(String.join("\n", lines)).hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    private final class Receiver implements SubscriptionListener {

        @Override
        public void onDelivery(Delivery delivery) {
            times.add(System.nanoTime());
            received.merge(delivery.message().id(), 1, Integer::sum);
            delivery.ack();
        }
    }

    private void assertRefusedInTime() {
        EnqueueRequest request = EnqueueRequest.newBuilder()
                .setQueue("outage")
                .addMessages(io.fila.protocol.v1.OutgoingMessage.getDefaultInstance())
                .build();
        long start = System.nanoTime();
        try {
            MessageServiceGrpc.newBlockingStub(channel).enqueue(request);
            throw new AssertionError("stored without a database");
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).as(e.toString()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(e.getTrailers().get(Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER)))
                    .isEqualTo("storage-unavailable");
            assertThat(e.getStatus().getDescription()).contains("the database cannot be reached");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    private int readiness() throws Exception {
        URI readiness = URI.create("http://127.0.0.1:" + broker.httpPort() + "/actuator/health/readiness");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(readiness).build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private int mostWithin(Duration window) {
        long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
        int most = 0;
        for (int from = 0, to = 0; to < sorted.length; to++) {
            while (sorted[to] - sorted[from] >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }
}
