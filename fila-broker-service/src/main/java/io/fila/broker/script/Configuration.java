package io.fila.broker.script;

import org.jspecify.annotations.Nullable;

/** What {@code fila.get} reads. It answers at once: a script has no time to wait. */
public interface Configuration {

    /** The value; null if there is none. */
    @Nullable String get(String key);
}
