package io.fila.client;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/** Builds a {@link FilaClient}. */
public final class FilaClientBuilder {

    private String address = "dns:///localhost:7433";
    private @Nullable String token;
    private Duration requestTimeout = Duration.ofSeconds(10);
    private boolean tls;

    FilaClientBuilder() {}

    /** A gRPC target; {@code dns:///localhost:7433} unless set. */
    public FilaClientBuilder address(String address) {
        this.address = address;
        return this;
    }

    /** The bearer token; none unless set. */
    public FilaClientBuilder token(@Nullable String token) {
        this.token = token;
        return this;
    }

    /** How long a blocking or asynchronous call may take; 10 s unless set. */
    public FilaClientBuilder requestTimeout(Duration timeout) {
        this.requestTimeout = timeout;
        return this;
    }

    /** Whether to speak TLS; plaintext unless set. */
    public FilaClientBuilder tls(boolean tls) {
        this.tls = tls;
        return this;
    }

    public FilaClient build() {
        throw new IllegalStateException(address + token + requestTimeout + tls);
    }
}
