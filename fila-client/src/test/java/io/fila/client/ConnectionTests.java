package io.fila.client;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

/** Over a real port, with the channel that applications get. */
class ConnectionTests {

    private final FakeBroker broker = FakeBroker.start();
    private final Set<String> authorizations = ConcurrentHashMap.newKeySet();
    private Server server;

    @AfterEach
    void close() {
        if (server != null) {
            server.shutdownNow();
        }
        broker.close();
    }

    @Test
    void sendsTheTokenWithEveryCall() {
        listen(0);
        try (FilaClient client = client().token("s3cret").build()) {
            assertThat(client.send("orders", OutgoingMessage.text("a")).id()).isEqualTo("stored-a");
        }
        assertThat(authorizations).containsExactly("Bearer s3cret");
    }

    @Test
    void sendsNoTokenUnlessOneIsSet() {
        listen(0);
        try (FilaClient client = client().build()) {
            client.send("orders", OutgoingMessage.text("a"));
        }
        assertThat(authorizations).containsExactly("none");
    }

    @Test
    void sendsAndReceivesLargerFramesThanGrpcAllowsByItself() {
        listen(0);
        try (FilaClient client = client().build()) {
            RecordingListener listener = new RecordingListener();
            client.subscribe(new SubscriptionSpec("orders", "x", List.of()), listener)
                    .request(1);
            FakeStream stream = broker.nextStream().accept();
            stream.awaitCredit(1);
            String large = "x".repeat(5 << 20);
            stream.deliver(large);
            assertThat(listener.awaitDelivery(0).message().payload().asText()).isEqualTo(large);
        }
    }

    @Test
    void connectsLazilyAndAgainWhenTheBrokerReturns() throws IOException {
        int port = freePort();
        RecordingListener listener = new RecordingListener();
        try (FilaClient client = FilaClient.builder()
                .address("dns:///localhost:" + port)
                .backoff(() -> new Backoff(Duration.ofMillis(10), Duration.ofMillis(200), () -> 1))
                .build()) {
            client.subscribe(new SubscriptionSpec("orders", "x", List.of()), listener);
            await().until(() -> listener.interruptions.size() == 1);
            assertThatThrownBy(() -> client.send("orders", OutgoingMessage.text("a")))
                    .isInstanceOf(FilaException.class)
                    .hasMessageContainingAll("'orders'", "dns:///localhost:" + port, "Connection refused");

            listen(port);
            broker.nextStream().accept();
            await().untilAtomic(listener.acceptances, equalTo(1));
            assertThat(client.send("orders", OutgoingMessage.text("a")).id()).isEqualTo("stored-a");
            assertThat(listener.interruptions).hasSize(1);

            server.shutdownNow();
            await().until(() -> listener.interruptions.size() == 2);
            await().until(server::isTerminated);
            listen(port);
            broker.nextStream().accept();
            await().untilAtomic(listener.acceptances, equalTo(2));
        }
    }

    @Test
    void runsListenersOnNamedDaemonThreads() {
        listen(0);
        Set<String> threads = ConcurrentHashMap.newKeySet();
        try (FilaClient client = client().build()) {
            client.subscribe(new SubscriptionSpec("orders", "x", List.of()), new RecordingListener() {
                @Override
                public void onAccepted() {
                    threads.add(Thread.currentThread().getName() + " daemon="
                            + Thread.currentThread().isDaemon());
                    super.onAccepted();
                }
            });
            broker.nextStream().accept();
            await().until(() -> !threads.isEmpty());
        }
        assertThat(threads)
                .allSatisfy(
                        thread -> assertThat(thread).startsWith("fila-client-").endsWith("daemon=true"));
    }

    @Test
    void refusesSettingsThatCannotWork() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilaClient.builder().requestTimeout(Duration.ZERO))
                .withMessageContaining("requestTimeout must be positive");
    }

    private FilaClientBuilder client() {
        return FilaClient.builder().address("dns:///localhost:" + server.getPort());
    }

    private void listen(int port) {
        server = broker.startOn(Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create())
                .intercept(new ServerInterceptor() {
                    @Override
                    public <Q, A> ServerCall.Listener<Q> interceptCall(
                            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                        String authorization =
                                headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER));
                        authorizations.add(authorization == null ? "none" : authorization);
                        return next.startCall(call, headers);
                    }
                }));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
