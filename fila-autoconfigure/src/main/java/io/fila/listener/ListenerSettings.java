package io.fila.listener;

import java.time.Duration;

import io.fila.declaration.InvalidDeclarationException;

/**
 * What holds for the containers of a factory unless their endpoint says otherwise.
 *
 * @param concurrency how many messages a container handles at once
 * @param shutdownTimeout how long stopping waits for running handlers
 * @param autoStartup whether containers start with the application
 */
public record ListenerSettings(int concurrency, Duration shutdownTimeout, boolean autoStartup) {

    public ListenerSettings {
        if (concurrency < 1) {
            throw new InvalidDeclarationException("fila.listener.concurrency is " + concurrency, "use 1 or more");
        }
        if (shutdownTimeout.isNegative()) {
            throw new InvalidDeclarationException(
                    "fila.listener.shutdown-timeout is " + shutdownTimeout, "use zero or more, such as 30s");
        }
    }
}
