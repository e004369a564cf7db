package io.fila.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** One packaged broker in a process of its own, which can be stalled, killed and started again. Not safe for use by several threads. */
final class BrokerNode implements AutoCloseable {

    private static final Path JAR = Path.of("fila-broker-service", "target", "fila-broker-service.jar");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Path directory;
    private final String name;
    private final int grpcPort;
    private final int restPort;
    private final boolean logsDeliveries;
    private final List<String> arguments;
    private @Nullable Process process;

    /**
     * @param logsDeliveries whether it writes down every delivery
     * @param arguments further ones for the broker
     */
    BrokerNode(Path directory, String name, boolean logsDeliveries, List<String> arguments) throws IOException {
        this.directory = directory;
        this.name = name;
        this.grpcPort = freePort();
        this.restPort = freePort();
        this.logsDeliveries = logsDeliveries;
        this.arguments = List.copyOf(arguments);
    }

    String address() {
        return "dns:///127.0.0.1:" + grpcPort;
    }

    Path deliveryLog() {
        return directory.resolve(name + ".ndjson");
    }

    /** Starts it and waits until it is ready. */
    void start() throws IOException {
        launch();
        awaitReady();
    }

    /** Starts it and does not wait. */
    void launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-jar",
                JAR.toAbsolutePath().toString(),
                "--server.port=" + restPort,
                "--spring.grpc.server.port=" + grpcPort));
        if (logsDeliveries) {
            command.add(
                    "--fila.broker.pacing.delivery-log.file=" + deliveryLog().toAbsolutePath());
        }
        command.addAll(arguments);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve(name + ".log").toFile()))
                .start();
    }

    void awaitReady() throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (!running().isAlive()) {
                throw new IOException(name + " has stopped; see its log in " + directory);
            }
            try {
                if (get("/actuator/health/readiness").statusCode() == 200) {
                    return;
                }
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                // not yet
            }
            Pause.of(Duration.ofMillis(100));
        }
        throw new IOException(name + " is not ready after " + PATIENCE);
    }

    private HttpResponse<String> get(String path) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + path))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** How many lines its metrics have. */
    long metricLines() throws IOException {
        return get("/actuator/prometheus").body().lines().count();
    }

    /** What lives in its heap after a collection. */
    long liveBytes() throws IOException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(running().pid()),
                        "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = jcmd.inputReader()) {
            // "Total      1234567      89012345": instances and bytes
            return lines.lines()
                    .filter(line -> line.startsWith("Total"))
                    .map(line -> line.trim().split("\\s+"))
                    .mapToLong(fields -> Long.parseLong(fields[2]))
                    .findFirst()
                    .orElseThrow(() -> new IOException("jcmd tells nothing of " + name));
        }
    }

    /** Gives it no chance to do anything. */
    void kill() throws IOException {
        running().destroyForcibly();
        awaitEnd();
    }

    /** Stops it from running for so long, as a stalled machine or a long collection of garbage does. */
    void stall(Duration duration) throws IOException {
        signal("STOP");
        Pause.of(duration);
        signal("CONT");
    }

    private void signal(String signal) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(running().pid()))
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException(name + " has not been started");
        }
        return process;
    }

    private void awaitEnd() throws IOException {
        try {
            if (!running().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(name + " does not stop");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Override
    public void close() throws IOException {
        if (process != null) {
            process.destroy();
            awaitEnd();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
