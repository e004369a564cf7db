package io.fila.listener;

import java.util.stream.Collectors;

import io.fila.client.SubscriptionSpec;
import io.fila.declaration.InvalidDeclarationException;
import org.jspecify.annotations.Nullable;

/**
 * A handler and what it listens to.
 *
 * @param id names it in the registry
 * @param concurrency how many messages are handled at once; null: the container factory's default
 * @param autoStartup whether it starts with the application; null: the container factory's default
 */
public record FilaListenerEndpoint(
        String id,
        SubscriptionSpec subscription,
        FilaMessageHandler handler,
        AckMode ackMode,
        @Nullable Integer concurrency,
        @Nullable Boolean autoStartup) {

    public FilaListenerEndpoint {
        if (concurrency != null && concurrency < 1) {
            throw new InvalidDeclarationException(
                    "the concurrency of listener '" + id + "' is " + concurrency, "use 1 or more");
        }
    }

    /** For the log: {@code , throttled by stripe [60/1m, 20/1s] per [header:customer]}. */
    String describeThrottles() {
        if (subscription.throttles().isEmpty()) {
            return "";
        }
        return subscription.throttles().stream()
                .map(throttle -> throttle.name() + " " + throttle.limits()
                        + (throttle.key().isEmpty() ? "" : " per " + throttle.key()))
                .collect(Collectors.joining(", ", ", throttled by ", ""));
    }
}
