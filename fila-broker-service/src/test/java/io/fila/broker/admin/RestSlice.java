package io.fila.broker.admin;

import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Lease;
import io.fila.broker.message.Messages;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Redrives;
import io.fila.broker.pacing.Permits;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.queue.Queues;
import io.fila.broker.script.ConfigValues;
import io.fila.broker.script.Scripts;
import io.fila.broker.stats.Overviews;
import io.fila.broker.stats.Stats;
import io.fila.broker.subscription.Subscriptions;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.reactive.server.WebTestClient;

/** The REST API on a real server, over services that each test tells what to answer. */
@SpringBootTest(
        classes = RestSlice.Api.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"server.address=127.0.0.1", "fila.broker.rest.max-enqueue-body=2MB"})
abstract class RestSlice {

    static final QueueName ORDERS = QueueName.of("orders");
    static final UUID SUBSCRIPTION = UUID.fromString("5d0c8f9e-0d7b-4a3e-9a55-3d1f9b0f4c11");
    static final UUID MESSAGE = UUID.fromString("0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b");
    static final Instant NOON = Instant.parse("2030-01-31T12:00:00Z");

    @MockitoBean
    Queues queues;

    @MockitoBean
    Messages messages;

    @MockitoBean
    Redrives redrives;

    @MockitoBean
    Subscriptions subscriptions;

    @MockitoBean
    Stats stats;

    @MockitoBean
    Permits permits;

    @MockitoBean
    Scripts scripts;

    @MockitoBean
    ConfigValues config;

    @Value("${local.server.port}")
    int port;

    WebTestClient http;

    @BeforeEach
    void connect() {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        http = WebTestClient.bindToServer(new JdkClientHttpConnector(client))
                .baseUrl("http://127.0.0.1:" + port + "/api/v1")
                .responseTimeout(Duration.ofSeconds(20))
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(64 << 20))
                .build();
    }

    WebTestClient.ResponseSpec post(String path, String json) {
        return http.post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(json)
                .exchange();
    }

    static Queue queue(QueueSettings settings, boolean paused) {
        return new Queue(1, ORDERS, settings, paused, 2L, List.of());
    }

    static Lease lease(long sequence) {
        return new Lease(sequence, UUID.fromString("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"));
    }

    static Delivery delivery(Payload payload) {
        return new Delivery(
                lease(7),
                NOON,
                Duration.ofSeconds(30),
                MESSAGE,
                ORDERS,
                payload,
                Map.of("customer", "acme"),
                null,
                Map.of(),
                1,
                0,
                NOON.minusSeconds(60));
    }

    @ImportAutoConfiguration({
        CodecsAutoConfiguration.class,
        ErrorWebFluxAutoConfiguration.class,
        HttpHandlerAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        NettyReactiveWebServerAutoConfiguration.class,
        WebFluxAutoConfiguration.class
    })
    @Import({
        BlockingCalls.class,
        MessageController.class,
        ConfigController.class,
        Overviews.class,
        ProblemHandler.class,
        QueueController.class,
        RequestBodies.class,
        RestConfiguration.class,
        SubscriptionController.class,
        ThrottleController.class
    })
    static class Api {}
}
