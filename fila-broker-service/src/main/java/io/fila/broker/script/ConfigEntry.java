package io.fila.broker.script;

import java.time.Instant;

/** A value that scripts read with {@code fila.get}. */
public record ConfigEntry(String key, String value, Instant updatedAt) {}
