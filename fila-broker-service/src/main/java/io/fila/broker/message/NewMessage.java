package io.fila.broker.message;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/**
 * A message as its producer gives it. {@link Messages#enqueue} checks it.
 *
 * @param id chosen by the producer: the same one again is a duplicate while the first is in the queue; null: the broker chooses
 * @param delay at most one of {@code delay} and {@code notBefore}
 */
public record NewMessage(
        @Nullable UUID id,
        Payload payload,
        Map<String, String> headers,
        @Nullable String fairnessKey,
        int weight,
        @Nullable Duration delay,
        @Nullable Instant notBefore)
        implements Keyed {

    public NewMessage {
        headers = Map.copyOf(headers);
    }

    @Override
    public Map<String, String> attributes() {
        return Map.of();
    }
}
