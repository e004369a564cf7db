package io.fila.broker.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** Statements that live in files beside the class that runs them. */
public final class Sql {

    private Sql() {}

    /** The text of {@code NAME.sql} in the package of {@code owner}, without its comments. */
    public static String load(Class<?> owner, String name) {
        String file = name + ".sql";
        try (InputStream in = owner.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("there is no " + file + " beside " + owner.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.stripLeading().startsWith("--"))
                    .collect(Collectors.joining("\n"))
                    .strip();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + file, e);
        }
    }
}
