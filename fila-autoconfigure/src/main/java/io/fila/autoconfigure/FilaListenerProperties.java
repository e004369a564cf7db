package io.fila.autoconfigure;

import java.time.Duration;

import io.fila.listener.ListenerSettings;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What holds for listeners unless their annotation says otherwise.
 *
 * @param concurrency How many messages a listener handles at once.
 * @param shutdownTimeout How long stopping waits for running handlers.
 * @param autoStartup Whether listeners start with the application.
 */
@ConfigurationProperties("fila.listener")
public record FilaListenerProperties(
        @DefaultValue("1") int concurrency,
        @DefaultValue("30s") Duration shutdownTimeout,
        @DefaultValue("true") boolean autoStartup) {

    public FilaListenerProperties {
        settings(concurrency, shutdownTimeout, autoStartup);
    }

    ListenerSettings settings() {
        return settings(concurrency, shutdownTimeout, autoStartup);
    }

    private static ListenerSettings settings(int concurrency, Duration shutdownTimeout, boolean autoStartup) {
        return new ListenerSettings(concurrency, shutdownTimeout, autoStartup);
    }
}
