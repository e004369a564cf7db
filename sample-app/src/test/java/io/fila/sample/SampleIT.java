package io.fila.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.fila.throttle.FilaThrottles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sample against a real broker. */
class SampleIT {

    private static final int MESSAGES = 40;

    @TempDir
    private Path directory;

    /** The window is wider than the sample's, so that a busy machine is no reason to fail. */
    @Test
    void passesABurstOnAtWhatTheProviderAllows() throws Exception {
        int appPort = BrokerProcess.freePort();
        int providerPort = BrokerProcess.freePort();
        try (BrokerProcess broker = BrokerProcess.start(directory);
                ConfigurableApplicationContext app = SpringApplication.run(
                        SampleApplication.class,
                        "--server.port=" + appPort,
                        "--sample.provider.port=" + providerPort,
                        "--sample.rate=8/1500ms",
                        "--fila.client.address=dns:///127.0.0.1:" + broker.grpcPort())) {
            StatsController stats = app.getBean(StatsController.class);
            await().atMost(Duration.ofMinutes(1)).until(() -> stats.stats().listening());
            for (int i = 1; i <= MESSAGES; i++) {
                assertThat(put(appPort, "message " + i)).isEqualTo("OK");
            }
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> stats.stats().figures().accepted() == MESSAGES);

            Stats end = stats.stats();
            assertThat(end.figures().dropped()).isZero();
            assertThat(end.figures().delivered()).isEqualTo(MESSAGES);
            assertThat(end.figures().mostInAnySecond()).isLessThanOrEqualTo(8);
            assertThat(end.providerMostInAnySecond()).isLessThanOrEqualTo(8);
            assertThat(end.figures().ratePerSecond()).isBetween(2.0, 5.5);

            FilaThrottles throttles = app.getBean(FilaThrottles.class);
            await().atMost(Duration.ofSeconds(10)).until(() -> throttles.tryAcquire("provider", 8));
            assertThat(throttles.acquireOrRoomAt("provider", List.of(), 8)).isPresent();
        }
    }

    private static String put(int port, String message) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/messages"))
                .header("Content-Type", "text/plain")
                .PUT(HttpRequest.BodyPublishers.ofString(message))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
