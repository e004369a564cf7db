package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.FailureAnalyzedException;

/** The layout of the data directory: PostgreSQL's files, and those of the broker in the subdirectory {@code fila}. */
record DataDirectory(Path path) {

    private static final String OWN = "fila";

    /** What a file system puts into the root of a volume by itself. */
    private static final Set<String> HARMLESS = Set.of(OWN, "lost+found");

    /** The files without which a directory with a version is not a cluster. */
    private static final Set<String> ESSENTIAL = Set.of("global/pg_control", "postgresql.conf", "base", "pg_wal");

    /** Where the broker keeps what is not PostgreSQL's. */
    Path own() {
        return path.resolve(OWN);
    }

    Path lock() {
        return own("lock");
    }

    Path password() {
        return own("password");
    }

    Path port() {
        return own("port");
    }

    Path binaries() {
        return own("bin");
    }

    Path settings() {
        return own("fila.conf");
    }

    Path startLog() {
        return own("start.log");
    }

    /** Where a cluster is initialised before it moves up, see {@link Cluster}. */
    Path initialising() {
        return own("initialising");
    }

    Path version() {
        return path.resolve("PG_VERSION");
    }

    Path postmasterPid() {
        return path.resolve("postmaster.pid");
    }

    boolean holdsCluster() {
        return Files.exists(version());
    }

    private Path own(String name) {
        return own().resolve(name);
    }

    /** Creates what is missing, for the owner's eyes only: PostgreSQL refuses a directory that others can read. */
    void create() {
        try {
            Files.createDirectories(path);
            refuseForeignFiles();
            if (ProcessOwner.isNotOwnerOf(path)) {
                throw new AccessDeniedException(path.toString(), null, "belongs to another user");
            }
            Files.createDirectories(own());
            if (Files.getFileAttributeView(path, PosixFileAttributeView.class) != null) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            }
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    static FailureAnalyzedException unusable(Path directory, IOException cause) {
        return new FailureAnalyzedException(
                "The data directory %s cannot be written by user '%s' (%s)."
                        .formatted(directory, System.getProperty("user.name"), cause),
                "Set fila.broker.data-dir to a directory that this user owns or may create,"
                        + " or spring.datasource.url to an existing PostgreSQL.",
                cause);
    }

    private void refuseForeignFiles() throws IOException {
        if (Files.exists(own())) {
            return;
        }
        try (var files = Files.list(path)) {
            Set<String> foreign = files.map(file -> file.getFileName().toString())
                    .filter(name -> !HARMLESS.contains(name))
                    .collect(Collectors.toSet());
            if (!foreign.isEmpty()) {
                throw new FailureAnalyzedException(
                        "The data directory %s holds files that no broker has put there, such as '%s'."
                                .formatted(path, foreign.iterator().next()),
                        "Set fila.broker.data-dir to an empty directory, or to one that a broker has used before.");
            }
        }
    }

    /** Refuses a cluster that the {@code expected} major version cannot open, and one with holes. */
    void check(String expected) {
        String actual = read(version());
        if (!actual.equals(expected)) {
            throw new FailureAnalyzedException(
                    "The data directory %s was written by PostgreSQL %s, but this broker brings PostgreSQL %s."
                            .formatted(path, actual, expected),
                    "Dump the data with the broker that wrote it (pg_dump) and restore it into an empty directory,"
                            + " upgrade it with pg_upgrade, or run PostgreSQL " + actual
                            + " on it and set spring.datasource.url.");
        }
        for (String file : ESSENTIAL) {
            if (Files.notExists(path.resolve(file))) {
                throw damaged("'%s' is missing".formatted(file));
            }
        }
        if (Files.notExists(password())) {
            throw damaged("'%s' is missing".formatted(path.relativize(password())));
        }
    }

    private FailureAnalyzedException damaged(String what) {
        return new FailureAnalyzedException(
                "The data directory %s is damaged: %s.".formatted(path, what),
                "Restore the directory from a backup, or set fila.broker.data-dir to an empty one to start without"
                        + " its messages.");
    }

    static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + file, e);
        }
    }
}
