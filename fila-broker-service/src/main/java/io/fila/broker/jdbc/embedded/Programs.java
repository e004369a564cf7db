package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.diagnostics.FailureAnalyzedException;

/**
 * Runs PostgreSQL's programs. They refuse to run as root, which many containers are; there they run in a user namespace
 * of their own, where the same user has another number and no privileges.
 */
final class Programs {

    private final Path home;
    private final Path workingDirectory;
    private final List<String> prefix;

    private Programs(Path home, Path workingDirectory, List<String> prefix) {
        this.home = home;
        this.workingDirectory = workingDirectory;
        this.prefix = prefix;
    }

    static Programs in(Path home, DataDirectory directory) {
        Programs programs = new Programs(home, directory.path(), List.of());
        return ProcessOwner.isRoot() ? programs.unprivileged() : programs;
    }

    private Programs unprivileged() {
        List<String> unshare = List.of("unshare", "-U");
        Programs programs = new Programs(home, workingDirectory, unshare);
        try {
            if (programs.run("postgres", "--version").isSuccess()) {
                return programs;
            }
        } catch (FailureAnalyzedException e) {
            // there is no such program: as good as forbidden
        }
        throw new FailureAnalyzedException(
                "PostgreSQL refuses to run as root, and this machine does not allow the user namespace that would"
                        + " take root's privileges away ('%s').".formatted(String.join(" ", unshare)),
                "Run the broker as an ordinary user, or set spring.datasource.url to an existing PostgreSQL.");
    }

    /** What a program has said and how it ended. */
    record Result(int exitCode, String output) {

        boolean isSuccess() {
            return exitCode == 0;
        }
    }

    Result run(String program, String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(workingDirectory.toFile()).redirectErrorStream(true);
        // settings of a PostgreSQL that the user works with are not meant for this one
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("interrupted while " + program + " ran"));
        } catch (IOException e) {
            throw new FailureAnalyzedException(
                    "PostgreSQL's programs cannot be run from %s (%s).".formatted(home, e.getMessage()),
                    "Set fila.broker.data-dir to a file system that allows programs to be run from it (without"
                            + " 'noexec'), or spring.datasource.url to an existing PostgreSQL.",
                    e);
        }
    }

    /** The version of the programs: {@code 18.6}. */
    String version() {
        Result result = run("postgres", "--version");
        if (!result.isSuccess()) {
            throw new FailureAnalyzedException(
                    "PostgreSQL's programs do not run on this machine: %s".formatted(result.output()),
                    "Install PostgreSQL and set spring.datasource.url.");
        }
        return result.output().replaceFirst("^.*\\(PostgreSQL\\) (\\S+).*$", "$1");
    }
}
