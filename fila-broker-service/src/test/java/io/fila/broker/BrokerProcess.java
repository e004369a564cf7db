package io.fila.broker;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The packaged broker as users run it: a process of its own, on free ports. Closing it kills what is left of it. */
public final class BrokerProcess implements AutoCloseable {

    /** Generous, since build machines are small and busy; it bounds a failure and costs nothing otherwise. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Path JAR = Path.of("target", "fila-broker-service.jar");
    private static final Pattern HTTP_PORT = Pattern.compile("Netty started on port (\\d+)");

    private final Process process;
    private final Path output;

    private BrokerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts a broker in {@code directory} with further arguments, such as {@code --fila.broker.data-dir=…}. */
    public static BrokerProcess start(Path directory, String... arguments) throws IOException {
        assertThat(JAR).as("the packaged broker; build it with ./mvnw package").exists();
        Path output = Files.createTempFile(directory, "broker", ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                JAR.toAbsolutePath().toString(),
                "--server.port=0"));
        if (List.of(arguments).stream().noneMatch(argument -> argument.startsWith("--spring.grpc.server.port="))) {
            command.add("--spring.grpc.server.port=0");
        }
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new BrokerProcess(process, output);
    }

    /** Waits for readiness; fails at once if the process ends instead. */
    public BrokerProcess awaitReady() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
            assertThat(process.isAlive()).as(() -> output()).isTrue();
            return isReady();
        });
        return this;
    }

    private boolean isReady() throws InterruptedException {
        Matcher port = HTTP_PORT.matcher(output());
        if (!port.find()) {
            return false;
        }
        URI readiness = URI.create("http://127.0.0.1:" + port.group(1) + "/actuator/health/readiness");
        try {
            return HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(readiness).build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Waits for the end; returns the exit code. */
    public int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(() -> output())
                .isTrue();
        return process.exitValue();
    }

    /** Asks it to stop, as a service manager does. */
    public void terminate() {
        process.destroy();
    }

    /** Gives it no chance to do anything. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitExit();
    }

    /** Everything it has written so far. */
    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new IllegalStateException("could not read " + output, e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
