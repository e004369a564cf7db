package io.fila.broker;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.fila.client.Delivery;
import io.fila.client.FilaClient;
import io.fila.client.OutgoingMessage;
import io.fila.client.QueueSpec;
import io.fila.client.SubscriptionListener;
import io.fila.client.SubscriptionSpec;
import io.fila.client.ThrottleSpec;
import io.fila.history.DeliveryLog;
import io.fila.history.HistoryChecker;
import io.fila.history.Report;
import io.fila.history.WindowLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code kill -9} of a broker and of its database in the middle of a paced run. */
class CrashIT {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MESSAGES = 90;
    private static final String SHORT_LIMIT = "10/1s";

    /** Longer than a restart takes, so that what was delivered before still counts after it. */
    private static final String LONG_LIMIT = "50/30s";

    @TempDir
    Path directory;

    @Test
    void losesNothingAndPassesNoLimitWhenTheBrokerIsKilled() throws Exception {
        runAcross((broker, port) -> {
            broker.kill();
            return start(port);
        });
    }

    @Test
    void losesNothingAndPassesNoLimitWhenTheDatabaseIsKilled() throws Exception {
        runAcross((broker, port) -> {
            long postmaster = Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                    .get(0)
                    .strip());
            ProcessHandle.of(postmaster).orElseThrow().destroyForcibly();
            return broker;
        });
    }

    /** What happens in the middle of a run; answers with the broker that goes on. */
    @FunctionalInterface
    private interface Harm {
        BrokerProcess to(BrokerProcess broker, int port) throws Exception;
    }

    private void runAcross(Harm harm) throws Exception {
        int port = freePort();
        Map<String, Integer> received = new ConcurrentHashMap<>();
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        ConcurrentLinkedQueue<String> returned = new ConcurrentLinkedQueue<>();
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void onDelivery(Delivery delivery) {
                String id = delivery.message().id();
                if (acknowledged.contains(id)) {
                    returned.add(id);
                }
                received.merge(id, 1, Integer::sum);
                delivery.ack().thenAccept(done -> {
                    if (done) {
                        acknowledged.add(id);
                    }
                });
            }
        };
        BrokerProcess broker = start(port);
        try (FilaClient client =
                FilaClient.builder().address("dns:///127.0.0.1:" + port).build()) {
            client.declareQueue(new QueueSpec("crash", Duration.ofSeconds(5), null, null));
            List<String> accepted = client
                    .sendAll(
                            "crash",
                            IntStream.range(0, MESSAGES)
                                    .mapToObj(i -> OutgoingMessage.text("message " + i))
                                    .toList())
                    .stream()
                    .map(result -> result.id())
                    .toList();
            try (var subscription = client.subscribe(
                    new SubscriptionSpec(
                            "crash", "test", List.of(ThrottleSpec.of("provider", SHORT_LIMIT, LONG_LIMIT))),
                    listener)) {
                subscription.request(10 * MESSAGES);
                await().atMost(PATIENCE).until(() -> received.size() >= MESSAGES / 3);
                broker = harm.to(broker, port);
                await().atMost(PATIENCE).until(() -> received.keySet().containsAll(accepted));
            }
        } finally {
            broker.terminate();
            broker.awaitExit();
        }
        assertThat(returned).as("acknowledged messages that came back").isEmpty();
        Report report = HistoryChecker.check(
                DeliveryLog.read(List.of(log())),
                Map.of("provider", List.of(WindowLimit.parse(SHORT_LIMIT), WindowLimit.parse(LONG_LIMIT))));
        assertThat(report.deliveries()).isGreaterThanOrEqualTo(MESSAGES);
        assertThat(report.isWithinLimits()).as(report::toString).isTrue();
    }

    private Path log() {
        return directory.resolve("deliveries.ndjson");
    }

    private BrokerProcess start(int port) throws Exception {
        return BrokerProcess.start(
                        directory,
                        "--spring.grpc.server.port=" + port,
                        "--fila.broker.data-dir=" + directory.resolve("data"),
                        "--fila.broker.pacing.delivery-log.file=" + log())
                .awaitReady();
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
