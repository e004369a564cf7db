package io.fila.sample.provider;

import java.io.IOException;

import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.util.Timeout;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.MediaType;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Calls the provider over HTTP. Safe for use by several threads. A call is made on its caller's thread and on a connection that is
 * kept open: each hand-over to another thread, and each connection to be opened, would make it late by a varying time.
 */
@Component
public class ProviderClient implements DisposableBean {

    private static final int CONNECTIONS = 16;

    private final CloseableHttpClient http;
    private final RestClient provider;

    ProviderClient(ProviderProperties properties) {
        http = HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnPerRoute(CONNECTIONS)
                        .setMaxConnTotal(CONNECTIONS)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(Timeout.ofSeconds(2))
                                .setSocketTimeout(Timeout.ofSeconds(5))
                                .build())
                        .build())
                // it would call again after a 429 and hide that the message was dropped
                .disableAutomaticRetries()
                .disableCookieManagement()
                .build();
        provider = RestClient.builder()
                .baseUrl(properties.url())
                .requestFactory(new HttpComponentsClientHttpRequestFactory(http))
                .build();
    }

    /** Hands over one message. */
    public void submit(String message) throws MessageDroppedException {
        int status = post("/provider/messages", message);
        if (status == 429) {
            throw new MessageDroppedException();
        }
        requireOk(status);
    }

    /** A call like {@link #submit} that hands over nothing. */
    public void checkHealth() {
        requireOk(post("/provider/health", "are you there?"));
    }

    private int post(String path, String body) {
        return provider.post()
                .uri(path)
                .contentType(MediaType.TEXT_PLAIN)
                .body(body)
                .exchangeForRequiredValue(
                        (request, response) -> response.getStatusCode().value());
    }

    private static void requireOk(int status) {
        if (status != 200) {
            throw new IllegalStateException("the provider answered " + status);
        }
    }

    @Override
    public void destroy() throws IOException {
        http.close();
    }
}
