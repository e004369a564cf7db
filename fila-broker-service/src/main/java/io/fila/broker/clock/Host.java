package io.fila.broker.clock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** This boot of this machine: processes with the same one share a monotonic clock, the one {@link System#nanoTime} reads. */
final class Host {

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    /** Containers may have a monotonic clock of their own. */
    private static final Path TIME_NAMESPACE = Path.of("/proc/self/ns/time");

    private Host() {}

    /** Null where it cannot be told. */
    static @Nullable String boot() {
        try {
            String namespace = Files.isSymbolicLink(TIME_NAMESPACE)
                    ? Files.readSymbolicLink(TIME_NAMESPACE).toString()
                    : "";
            return Files.readString(BOOT).strip() + namespace;
        } catch (IOException | SecurityException e) {
            return null;
        }
    }
}
