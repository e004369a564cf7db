package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server that a killed broker has left behind. It is stopped rather than adopted: its settings may be those of an
 * older broker, and a clean start is a matter of half a second.
 *
 * <p>The process that the pid file names may be a different one by now, for numbers are used again. It is the server if
 * it is PostgreSQL and its working directory is ours; where the system does not tell a process's directory, if it
 * started when the pid file says. Anything else is left alone, and the file, at which PostgreSQL would stop, removed;
 * a server process that outlived its postmaster is still found by the shared memory it holds.
 */
final class OrphanedPostmaster {

    private static final Logger log = LoggerFactory.getLogger(OrphanedPostmaster.class);

    /** The pid file's time is taken a moment after the process began, and both are rounded. */
    private static final Duration TOLERANCE = Duration.ofSeconds(3);

    private static final int START_TIME_LINE = 2;

    private OrphanedPostmaster() {}

    static void stop(DataDirectory directory, Postmaster postmaster) {
        Optional<ProcessHandle> found = postmaster.process();
        if (found.isEmpty()) {
            return; // PostgreSQL itself clears up after a process that is gone
        }
        ProcessHandle process = found.get();
        if (isServerOf(process, directory)) {
            log.info("Stopping PostgreSQL (process {}), which a killed broker has left running", process.pid());
            postmaster.stop();
            return;
        }
        log.warn(
                "Removing {}: process {}, which it names, is another program",
                directory.postmasterPid(),
                process.pid());
        try {
            Files.delete(directory.postmasterPid());
        } catch (IOException e) {
            throw new UncheckedIOException("could not remove " + directory.postmasterPid(), e);
        }
    }

    private static boolean isServerOf(ProcessHandle process, DataDirectory directory) {
        if (!process.info().command().map(OrphanedPostmaster::isPostgres).orElse(false)) {
            return false;
        }
        Path link = Path.of("/proc", Long.toString(process.pid()), "cwd");
        try {
            return link.toRealPath().equals(directory.path().toRealPath());
        } catch (IOException e) {
            return startedWhenTheFileSays(process, directory);
        }
    }

    private static boolean isPostgres(String command) {
        Path name = Path.of(command).getFileName();
        return name != null && name.toString().startsWith("postgres");
    }

    private static boolean startedWhenTheFileSays(ProcessHandle process, DataDirectory directory) {
        List<String> lines =
                DataDirectory.read(directory.postmasterPid()).lines().toList();
        Instant written =
                Instant.ofEpochSecond(Long.parseLong(lines.get(START_TIME_LINE).strip()));
        return process.info()
                .startInstant()
                .map(started -> Duration.between(started, written).abs().compareTo(TOLERANCE) <= 0)
                .orElse(false);
    }
}
