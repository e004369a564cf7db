package io.fila.broker.message;

import java.util.Map;

import io.fila.broker.script.Classification;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * A message in a dead letter queue, as far as scripts and lanes are concerned.
 *
 * @param isUnclassified whether the script of its queue has never answered for it
 */
record DeadLetter(
        long sequence,
        @Nullable String fairnessKey,
        int weight,
        Map<String, String> headers,
        Map<String, String> attributes,
        int payloadSize,
        boolean isUnclassified)
        implements Keyed {

    /** What the script gives replaces what the message had. */
    DeadLetter classified(Classification by) {
        return new DeadLetter(
                sequence,
                by.fairnessKey() == null ? fairnessKey : by.fairnessKey(),
                by.weight() == null ? weight : by.weight(),
                headers,
                by.attributes(),
                payloadSize,
                false);
    }
}
