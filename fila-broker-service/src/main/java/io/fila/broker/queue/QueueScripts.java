package io.fila.broker.queue;

import org.jspecify.annotations.Nullable;

/**
 * The scripts of a queue, as their authors wrote them.
 *
 * @param onEnqueue classifies each message that is enqueued; null: none
 * @param onFailure decides what becomes of a message whose attempt failed; null: the retry policy does
 * @param whenScriptFails what becomes of a message that {@code onEnqueue} fails for
 */
public record QueueScripts(
        @Nullable String onEnqueue, @Nullable String onFailure, WhenScriptFails whenScriptFails) {

    public static final QueueScripts NONE = new QueueScripts(null, null, WhenScriptFails.REJECT);
}
