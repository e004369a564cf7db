package io.fila.sample.provider;

import java.net.URI;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The provider.
 *
 * @param enabled Whether this process plays the provider, too.
 * @param port Where it listens, on the loopback interface.
 * @param url Where the application finds it.
 */
@ConfigurationProperties("sample.provider")
public record ProviderProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("8081") int port,
        @DefaultValue("http://127.0.0.1:8081") URI url) {}
