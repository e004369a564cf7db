package io.fila.broker.admin;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;

import io.fila.broker.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** A whole broker on a real PostgreSQL, as a client without any library sees it. Each test has a queue of its own. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"server.address=127.0.0.1", "spring.grpc.server.port=0"})
abstract class RestBroker {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client = HttpClient.newHttpClient();

    /** Unused names, so that tests do not see each other's messages and throttles. */
    final String queue = "queue-" + UUID.randomUUID();

    final String throttle = "throttle-" + UUID.randomUUID();

    @Value("${local.server.port}")
    int port;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", TestDatabase::create);
    }

    /** An answer: its status, and its body if it is JSON. */
    record Reply(int status, JsonNode body, HttpResponse<String> response) {

        Reply expect(int expected) {
            assertThat(status).as(response.body()).isEqualTo(expected);
            return this;
        }

        /** Expects a problem of this code. */
        Reply expect(int expected, String code) {
            expect(expected);
            assertThat(text("code")).isEqualTo(code);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            return this;
        }

        String text(String field) {
            return body.path(field).asString();
        }

        List<JsonNode> list(String field) {
            return StreamSupport.stream(body.path(field).spliterator(), false).toList();
        }
    }

    @BeforeEach
    void createQueue() {
        put("/queues/" + queue, "{}").expect(201);
    }

    Reply get(String path) {
        return call("GET", path, null).join();
    }

    Reply put(String path, String body) {
        return call("PUT", path, body).join();
    }

    Reply post(String path, @Nullable String body) {
        return call("POST", path, body).join();
    }

    Reply delete(String path) {
        return call("DELETE", path, null).join();
    }

    CompletableFuture<Reply> call(String method, String path, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:%d/api/v1%s".formatted(port, path)))
                .timeout(Duration.ofMinutes(2));
        if (body == null) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json");
            request.method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .thenApply(response -> new Reply(response.statusCode(), JSON.readTree(response.body()), response));
    }

    /** Enqueues one message, given as its fields; returns its id. */
    String enqueue(String fields) {
        return post("/queues/" + queue + "/messages", "{" + fields + "}")
                .expect(201)
                .text("id");
    }

    /** Enqueues so many messages. */
    void enqueue(int count) {
        String messages = "{\"payload\":1},".repeat(count);
        post("/queues/" + queue + "/messages", "[" + messages.substring(0, messages.length() - 1) + "]")
                .expect(201);
    }

    /** Subscribes, with these throttles (JSON objects); returns the path of the subscription. */
    String subscribe(String... throttles) {
        return subscribeFor("60s", throttles);
    }

    String subscribeFor(String ttl, String... throttles) {
        String body =
                "{\"consumer\":\"test\",\"ttl\":\"%s\",\"throttles\":[%s]}".formatted(ttl, String.join(",", throttles));
        return "/subscriptions/"
                + post("/queues/" + queue + "/subscriptions", body).expect(201).text("id");
    }

    /** Receives up to {@code max}, waiting long enough for what must come. */
    List<JsonNode> receive(String subscription, int max) {
        return receive(subscription, max, "30s");
    }

    List<JsonNode> receive(String subscription, int max, String wait) {
        return post(subscription + "/receive", "{\"max\":%d,\"wait\":\"%s\"}".formatted(max, wait))
                .expect(200)
                .list("deliveries");
    }

    /** Receives the one message that must come. */
    JsonNode receiveOne(String subscription) {
        List<JsonNode> deliveries = receive(subscription, 1);
        assertThat(deliveries).hasSize(1);
        return deliveries.get(0);
    }

    /** Says this of a delivery's lease; more fields begin with a comma. */
    Reply settle(String subscription, String verb, JsonNode delivery, String more) {
        return post(subscription + "/" + verb, "{\"leases\":[%s]%s}".formatted(delivery.get("lease"), more))
                .expect(200);
    }

    void assertDone(Reply reply) {
        assertThat(reply.list("done")).hasSize(1);
        assertThat(reply.list("lost")).isEmpty();
    }

    void assertLost(Reply reply) {
        assertThat(reply.list("done")).isEmpty();
        assertThat(reply.list("lost")).hasSize(1);
    }

    /** A declaration of this test's throttle. */
    String limited(String limit, String key) {
        return "{\"name\":\"%s\",\"limits\":[\"%s\"],\"key\":[%s]}".formatted(throttle, limit, key);
    }
}
