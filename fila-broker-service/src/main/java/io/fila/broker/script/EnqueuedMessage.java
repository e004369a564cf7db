package io.fila.broker.script;

import java.util.Map;

/** What {@code on_enqueue} is told. */
public record EnqueuedMessage(Map<String, String> headers, int payloadSize, String queue) {}
