package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.util.FileSystemUtils;

/**
 * Sees to it that the data directory holds a complete cluster, also after being interrupted.
 *
 * <p>A cluster is initialised aside, in {@code fila/initialising}; one rename to {@code fila/initialised} makes it
 * complete; then its files move up, {@code PG_VERSION} last. Whoever finds no {@code PG_VERSION} thus knows that nothing
 * was ever stored, and either goes on moving or begins anew.
 */
final class Cluster {

    static final String USER = "fila";

    private static final Logger log = LoggerFactory.getLogger(Cluster.class);
    private static final String SETTINGS = "embedded-postgres.conf";

    private final DataDirectory directory;
    private final Programs programs;

    Cluster(DataDirectory directory, Programs programs) {
        this.directory = directory;
        this.programs = programs;
    }

    void ensure() {
        String version = programs.version();
        try {
            if (!directory.holdsCluster()) {
                create();
            }
            directory.check(version.substring(0, version.indexOf('.')));
            try (InputStream settings = Objects.requireNonNull(Cluster.class.getResourceAsStream(SETTINGS))) {
                Files.copy(settings, directory.settings(), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("could not initialise a database in " + directory.path(), e);
        }
    }

    private void create() throws IOException {
        Path complete = directory.initialising().resolveSibling("initialised");
        if (Files.notExists(complete)) {
            initialise();
            Files.move(directory.initialising(), complete);
            sync(directory.own());
        }
        moveUp(complete);
    }

    private void initialise() throws IOException {
        log.debug("Initialising a database in {}", directory.path());
        Path target = directory.initialising();
        FileSystemUtils.deleteRecursively(target);
        writePassword();
        // the built-in collation stays the same when the machine's C library is upgraded, and so do indexes
        Programs.Result result = programs.run(
                "initdb",
                "--pgdata=" + target,
                "--username=" + USER,
                "--pwfile=" + directory.password(),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8");
        if (!result.isSuccess()) {
            throw new FailureAnalyzedException(
                    "PostgreSQL could not initialise %s: %s".formatted(directory.path(), result.output()),
                    "Check that the file system has room and allows programs to be run from it, or set"
                            + " fila.broker.data-dir to another directory.");
        }
        Files.writeString(
                target.resolve("postgresql.conf"),
                "%n# The broker's own settings; it overwrites that file. What follows here wins over them.%ninclude = '%s'%n"
                        .formatted(directory
                                .path()
                                .relativize(directory.settings())
                                .toString()
                                .replace('\\', '/')),
                StandardOpenOption.APPEND,
                StandardOpenOption.SYNC);
    }

    private void writePassword() throws IOException {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        Path file = directory.password();
        Files.deleteIfExists(file);
        if (Files.getFileAttributeView(file.getParent(), PosixFileAttributeView.class) != null) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(file, HexFormat.of().formatHex(random), StandardOpenOption.CREATE, StandardOpenOption.SYNC);
    }

    private void moveUp(Path complete) throws IOException {
        Path version = complete.resolve(directory.version().getFileName());
        List<Path> files;
        try (var found = Files.list(complete)) {
            files = found.filter(file -> !file.equals(version)).toList();
        }
        for (Path file : files) {
            Files.move(file, directory.path().resolve(file.getFileName()));
        }
        sync(directory.path());
        Files.move(version, directory.version());
        sync(directory.path());
        Files.delete(complete);
    }

    /** Makes renames survive a power failure, where a directory can be opened at all. */
    private static void sync(Path directory) throws IOException {
        if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) != null) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
