package io.fila.client;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import org.jspecify.annotations.Nullable;

/** Builds a {@link FilaClient}. */
public final class FilaClientBuilder {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private String address = "dns:///localhost:7433";
    private @Nullable String token;
    private Duration requestTimeout = Duration.ofSeconds(10);
    private boolean tls;
    private @Nullable Supplier<ManagedChannelBuilder<?>> channel;
    private Supplier<Backoff> backoff = () -> new Backoff(
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            () -> ThreadLocalRandom.current().nextDouble());
    private SendLimits sendLimits = SendLimits.DEFAULT;

    FilaClientBuilder() {}

    /** A gRPC target; {@code dns:///localhost:7433} unless set. */
    public FilaClientBuilder address(String address) {
        this.address = Objects.requireNonNull(address, "address must not be null");
        return this;
    }

    /**
     * The bearer token; none unless set. It is sent with every call and not logged by this client; gRPC's own transport
     * logs every header at DEBUG, so keep {@code io.grpc.netty} above that.
     */
    public FilaClientBuilder token(@Nullable String token) {
        this.token = token;
        return this;
    }

    /** How long a blocking or asynchronous call may take; 10 s unless set. */
    public FilaClientBuilder requestTimeout(Duration timeout) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("requestTimeout must be positive, but was " + timeout);
        }
        this.requestTimeout = timeout;
        return this;
    }

    /** Whether to speak TLS; plaintext unless set. */
    public FilaClientBuilder tls(boolean tls) {
        this.tls = tls;
        return this;
    }

    /** Where tests put a channel of their own; the rest of the settings is applied to it. */
    FilaClientBuilder channel(Supplier<ManagedChannelBuilder<?>> channel) {
        this.channel = channel;
        return this;
    }

    FilaClientBuilder backoff(Supplier<Backoff> backoff) {
        this.backoff = backoff;
        return this;
    }

    FilaClientBuilder sendLimits(SendLimits limits) {
        this.sendLimits = limits;
        return this;
    }

    /** Builds the client without connecting; an address that cannot be parsed is an {@link IllegalArgumentException}. */
    public FilaClient build() {
        ManagedChannelBuilder<?> builder =
                channel != null ? channel.get() : Grpc.newChannelBuilder(address, credentials());
        if (token != null && !token.isEmpty()) {
            Metadata headers = new Metadata();
            headers.put(AUTHORIZATION, "Bearer " + token);
            builder.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
        }
        return new GrpcFilaClient(new BrokerConnection(builder, address, requestTimeout), sendLimits, backoff);
    }

    private ChannelCredentials credentials() {
        return tls ? TlsChannelCredentials.create() : InsecureChannelCredentials.create();
    }
}
