package io.fila.broker.throttle;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/** What a key can be made of. */
public interface Keyed {

    Map<String, String> headers();

    Map<String, String> attributes();

    @Nullable String fairnessKey();
}
