package io.fila.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where the broker is.
 *
 * @param address gRPC target of the broker.
 * @param token Bearer token to authenticate with.
 * @param requestTimeout How long sending or declaring may take.
 * @param tls Whether to speak TLS.
 */
@ConfigurationProperties("fila.client")
public record FilaClientProperties(
        @DefaultValue("dns:///localhost:7433") String address,
        @Nullable String token,
        @DefaultValue("10s") Duration requestTimeout,
        @DefaultValue("false") boolean tls) {

    public FilaClientProperties {
        if (address.isBlank()) {
            throw new IllegalArgumentException(
                    "fila.client.address is empty; give a gRPC target such as dns:///localhost:7433");
        }
        if (requestTimeout.isNegative() || requestTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "fila.client.request-timeout is " + requestTimeout + "; use more than zero, such as 10s");
        }
    }

    /** An empty token is none: {@code token: ${FILA_TOKEN:}}. */
    @Nullable String tokenOrNull() {
        return token == null || token.isBlank() ? null : token;
    }

    @Override
    public String toString() {
        return "FilaClientProperties[address=" + address + ", tls=" + tls + "]";
    }
}
