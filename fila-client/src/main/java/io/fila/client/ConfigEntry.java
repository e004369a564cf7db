package io.fila.client;

import java.time.Instant;

/** A value of the runtime configuration, which scripts read with {@code fila.get(key)}. */
public record ConfigEntry(String key, String value, Instant updatedAt) {}
