package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalyzedException;

/**
 * Keeps a second broker off the directory. The operating system drops the lock with the process, so {@code kill -9}
 * leaves nothing to clean up, and PostgreSQL, which survives that, does not inherit it.
 */
final class DirectoryLock implements AutoCloseable {

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    static DirectoryLock acquire(DataDirectory directory) {
        try {
            FileChannel channel = FileChannel.open(
                    directory.lock(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (tryLock(channel) == null) {
                channel.close();
                throw new FailureAnalyzedException(
                        "The data directory %s is in use by another broker%s."
                                .formatted(directory.path(), holder(directory)),
                        "Set fila.broker.data-dir to another directory"
                                + " or spring.datasource.url to a shared PostgreSQL.");
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new DirectoryLock(channel);
        } catch (IOException e) {
            throw DataDirectory.unusable(directory.path(), e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by another context of this very JVM
        }
    }

    private static String holder(DataDirectory directory) {
        String pid = DataDirectory.read(directory.lock());
        return pid.isEmpty() ? "" : " (process " + pid + ")";
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("could not release the lock of the data directory", e);
        }
    }
}
