package io.fila.sample;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A broker in a process of its own, with a database of its own. */
final class BrokerProcess implements AutoCloseable {

    private static final Path JAR = Path.of("../fila-broker-service/target/fila-broker-service.jar");

    private final Process process;
    private final Path log;
    private final int restPort;
    private final int grpcPort;

    private BrokerProcess(Process process, Path log, int restPort, int grpcPort) {
        this.process = process;
        this.log = log;
        this.restPort = restPort;
        this.grpcPort = grpcPort;
    }

    static BrokerProcess start(Path directory) throws IOException, InterruptedException {
        assertThat(JAR)
                .as("the broker's jar; build it first: ./mvnw -DskipTests -pl fila-broker-service -am package")
                .isRegularFile();
        int restPort = freePort();
        int grpcPort = freePort();
        Path log = directory.resolve("broker.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-jar",
                        JAR.toString(),
                        "--server.port=" + restPort,
                        "--spring.grpc.server.port=" + grpcPort,
                        "--fila.broker.data-dir=" + directory.resolve("data"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        BrokerProcess broker = new BrokerProcess(process, log, restPort, grpcPort);
        try {
            broker.awaitReady();
        } catch (RuntimeException | Error e) {
            broker.close();
            throw e;
        }
        return broker;
    }

    private void awaitReady() {
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(250))
                .failFast(() -> assertThat(process.isAlive())
                        .as("the broker runs; its log:%n%s", log())
                        .isTrue())
                .untilAsserted(() -> assertThat(isReady())
                        .as("the broker is ready; its log:%n%s", log())
                        .isTrue());
    }

    int grpcPort() {
        return grpcPort;
    }

    private boolean isReady() throws InterruptedException {
        URI readiness = URI.create("http://127.0.0.1:" + restPort + "/actuator/health/readiness");
        try {
            HttpResponse<Void> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(readiness).build(), HttpResponse.BodyHandlers.discarding());
            return answer.statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    /** Lets the broker stop its database. */
    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(40, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
