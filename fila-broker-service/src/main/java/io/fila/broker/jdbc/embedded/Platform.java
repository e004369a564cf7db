package io.fila.broker.jdbc.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The operating system and processor, in the words that name the archives of PostgreSQL binaries. */
record Platform(String system, String processor, boolean musl) {

    static Platform current() {
        return new Platform(
                system(System.getProperty("os.name")), processor(System.getProperty("os.arch")), usesMusl());
    }

    static String system(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.startsWith("mac")) {
            return "darwin";
        }
        return lower.startsWith("windows") ? "windows" : lower;
    }

    static String processor(String architecture) {
        return switch (architecture) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "arm_64";
            default -> architecture;
        };
    }

    /** Binaries for one C library do not run on the other; Alpine is the distribution that has musl. */
    private static boolean usesMusl() {
        try (var loaders = Files.newDirectoryStream(Path.of("/lib"), "ld-musl-*")) {
            return loaders.iterator().hasNext();
        } catch (IOException e) {
            return false;
        }
    }

    String archive() {
        return "postgres-%s-%s%s.txz".formatted(system, processor, musl ? "-alpine_linux" : "");
    }

    @Override
    public String toString() {
        return system + " on " + processor + (musl ? " with musl" : "");
    }
}
