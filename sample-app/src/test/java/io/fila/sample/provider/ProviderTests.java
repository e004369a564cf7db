package io.fila.sample.provider;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProviderTests {

    private Provider provider;
    private ProviderClient client;

    @BeforeEach
    void start() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        ProviderProperties properties = new ProviderProperties(true, port, URI.create("http://127.0.0.1:" + port));
        provider = new Provider(properties);
        provider.start();
        client = new ProviderClient(properties);
    }

    @AfterEach
    void stop() throws IOException {
        client.destroy();
        provider.stop();
    }

    @Test
    void dropsWhatExceedsTheLimitAndCountsIt() {
        // far more than could be accepted however slow the machine is
        int accepted = 0;
        int dropped = 0;
        while (dropped < 20) {
            try {
                client.submit("hello");
                accepted++;
            } catch (MessageDroppedException e) {
                dropped++;
            }
        }
        assertThat(accepted).isGreaterThanOrEqualTo(8);
        assertThat(provider.dropped()).isEqualTo(20);
        assertThat(provider.mostInAnySecond()).isGreaterThan(8);
    }

    @Test
    void doesNotCountHealthChecks() throws Exception {
        for (int i = 0; i < 50; i++) {
            client.checkHealth();
        }
        assertThat(provider.mostInAnySecond()).isZero();
        assertThatCode(() -> client.submit("hello")).doesNotThrowAnyException();
    }

    @Test
    void saysWhichPortIsTaken() {
        Provider second = new Provider(new ProviderProperties(true, portOfFirst(), URI.create("http://127.0.0.1")));
        assertThatThrownBy(second::start)
                .hasMessageContaining("port " + portOfFirst())
                .hasMessageContaining("sample.provider.port");
    }

    private int portOfFirst() {
        return provider.port();
    }
}
