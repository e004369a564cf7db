package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** Who runs this JVM. Known on Linux only, where it matters: that is where containers run things as root. */
final class ProcessOwner {

    private static final Path SELF = Path.of("/proc/self");

    private ProcessOwner() {}

    static boolean isRoot() {
        return Objects.equals(owner(SELF), 0);
    }

    /** Whether the file is somebody else's; false if it cannot be told. */
    static boolean isNotOwnerOf(Path file) {
        Integer self = owner(SELF);
        return self != null && !self.equals(owner(file));
    }

    private static @Nullable Integer owner(Path file) {
        try {
            return (Integer) Files.getAttribute(file, "unix:uid");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        }
    }
}
