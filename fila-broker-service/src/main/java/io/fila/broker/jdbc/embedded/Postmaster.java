package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

/**
 * PostgreSQL's server process. It is started through {@code pg_ctl}, which detaches it from the terminal: otherwise
 * Ctrl-C would stop it at the same instant as the broker, which still has messages to give back.
 */
final class Postmaster {

    private static final Logger log = LoggerFactory.getLogger(Postmaster.class);
    private static final int LAST_LINES = 12;

    private final DataDirectory directory;
    private final Programs programs;

    Postmaster(DataDirectory directory, Programs programs) {
        this.directory = directory;
        this.programs = programs;
    }

    /** Returns when connections are accepted. */
    void start(int port, Duration timeout) {
        try {
            Files.deleteIfExists(directory.startLog());
            if (namedProcess().isPresent() && process().isEmpty()) {
                Files.delete(directory.postmasterPid()); // PostgreSQL takes a zombie for another server
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not remove what the last server left in " + directory.path(), e);
        }
        Programs.Result result = programs.run(
                "pg_ctl",
                "start",
                "--pgdata=" + directory.path(),
                "--wait",
                "--timeout=" + timeout.toSeconds(),
                "--log=" + directory.startLog(),
                "--options=-p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories=".formatted(port));
        if (!result.isSuccess()) {
            stop(); // one that is still recovering must not be left behind
            throw new FailureAnalyzedException(
                    "PostgreSQL did not start in %s within %s. Its last words:%n%n%s"
                            .formatted(directory.path(), timeout, lastWords()),
                    "If it names the port, set fila.broker.embedded.port; if it was still recovering, raise"
                            + " fila.broker.embedded.start-timeout; if it found damage, restore the directory from a"
                            + " backup or set fila.broker.data-dir to an empty one.");
        }
    }

    /** Stops what the pid file names, politely first; does nothing if nothing runs. */
    void stop() {
        Optional<ProcessHandle> process = process();
        if (process.isEmpty() || stop("fast", 20) || stop("immediate", 10)) {
            return;
        }
        log.warn(
                "PostgreSQL (process {}) does not stop; killing it",
                process.get().pid());
        process.get().destroyForcibly();
        process.get().onExit().orTimeout(5, TimeUnit.SECONDS).join();
    }

    private boolean stop(String mode, int seconds) {
        return programs.run(
                        "pg_ctl",
                        "stop",
                        "--pgdata=" + directory.path(),
                        "--wait",
                        "--mode=" + mode,
                        "--timeout=" + seconds)
                .isSuccess();
    }

    /** The running process that the pid file names, whatever it is. */
    Optional<ProcessHandle> process() {
        return namedProcess().filter(Postmaster::isRunning);
    }

    /**
     * Alive, and not a zombie: as the first process of a container, a JVM never collects a server that was detached from
     * it, and the number stays taken. A zombie has no program.
     */
    static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    private Optional<ProcessHandle> namedProcess() {
        if (Files.notExists(directory.postmasterPid())) {
            return Optional.empty();
        }
        return DataDirectory.read(directory.postmasterPid())
                .lines()
                .findFirst()
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid.strip())));
    }

    private String lastWords() {
        StringBuilder words = new StringBuilder();
        tail(directory.startLog(), words);
        try (var logs = Files.list(directory.path().resolve("log"))) {
            logs.max(Comparator.comparingLong(file -> file.toFile().lastModified()))
                    .ifPresent(newest -> tail(newest, words));
        } catch (IOException e) {
            log.debug("PostgreSQL has not come as far as writing a log", e);
        }
        return words.toString().strip();
    }

    private static void tail(Path file, StringBuilder into) {
        if (Files.exists(file)) {
            List<String> lines = DataDirectory.read(file).lines().toList();
            lines.stream()
                    .skip(Math.max(0, lines.size() - LAST_LINES))
                    .forEach(line -> into.append(line).append(System.lineSeparator()));
        }
    }
}
