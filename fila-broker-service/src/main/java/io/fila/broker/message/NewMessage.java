package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.script.Classification;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * A message as its producer gives it, and what the queue's script makes of it. {@link Messages#enqueue} checks it.
 *
 * @param id chosen by the producer: the same one again is a duplicate while the first is in the queue; null: the broker chooses
 * @param delay at most one of {@code delay} and {@code notBefore}
 * @param attributes what the script gave; empty until it has run
 * @param parking null unless the script failed for it and the queue keeps such messages
 */
public record NewMessage(
        @Nullable UUID id,
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        @Nullable Duration delay,
        @Nullable Instant notBefore,
        Map<String, String> attributes,
        @Nullable Parking parking)
        implements Keyed {

    public NewMessage {
        headers = Map.copyOf(headers);
        attributes = Map.copyOf(attributes);
    }

    /** As a producer gives it. */
    public NewMessage(
            @Nullable UUID id,
            Payload payload,
            Map<String, String> headers,
            @Nullable String fairnessKey,
            int weight,
            @Nullable Duration delay,
            @Nullable Instant notBefore) {
        this(id, payload, headers, fairnessKey, weight, delay, notBefore, Map.of(), null);
    }

    /**
     * Why a message is stored without having been classified.
     *
     * @param isTry whether the script ran
     */
    record Parking(String reason, String error, boolean isTry) {}

    /** What the script gives replaces what the producer gave. */
    NewMessage classified(Classification by) {
        return new NewMessage(
                id,
                payload,
                headers,
                by.fairnessKey() == null ? fairnessKey : by.fairnessKey(),
                by.weight() == null ? weight : by.weight(),
                delay,
                notBefore,
                by.attributes(),
                null);
    }

    NewMessage parked(Parking why) {
        return new NewMessage(id, payload, headers, fairnessKey, weight, delay, notBefore, Map.of(), why);
    }
}
