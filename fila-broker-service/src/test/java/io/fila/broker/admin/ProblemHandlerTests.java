package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.fila.broker.message.Enqueued;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.transaction.CannotCreateTransactionException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;

/** Whatever goes wrong is answered with a problem. */
@ExtendWith(OutputCaptureExtension.class)
class ProblemHandlerTests extends RestSlice {

    @Test
    void writesEveryMember(CapturedOutput output) {
        given(queues.get(ORDERS))
                .willThrow(new ProblemException(ProblemCode.QUEUE_NOT_FOUND, "queue: there is no 'orders'"));

        problem(http.get().uri("/queues/orders").exchange(), ProblemCode.QUEUE_NOT_FOUND)
                .json("""
                        {"type":"urn:fila:problem:queue-not-found","title":"Queue not found","status":404,
                         "detail":"queue: there is no 'orders'","instance":"/api/v1/queues/orders","code":"queue-not-found"}
                        """, JsonCompareMode.STRICT);
        assertThat(output).doesNotContain("there is no 'orders'");
    }

    @ParameterizedTest
    @EnumSource
    void answersWithStatusOfCode(ProblemCode code) {
        given(messages.enqueue(any(), any(), anyBoolean()))
                .willReturn(CompletableFuture.failedFuture(new ProblemException(code, "so it is")));

        problem(post("/queues/orders/messages", "{\"payload\":1}"), code)
                .jsonPath("$.title")
                .isNotEmpty()
                .jsonPath("$.detail")
                .isEqualTo("so it is");
    }

    @ParameterizedTest
    @CsvSource({"QUEUE_FULL, 1500, 2", "RATE_LIMITED, 3000, 3", "STORAGE_UNAVAILABLE, 0, 1", "QUEUE_FULL, , 1"})
    void saysWhenToTryAgainInWholeSecondsRoundedUp(ProblemCode code, Long millis, String seconds) {
        Duration retryAfter = millis == null ? null : Duration.ofMillis(millis);
        given(messages.enqueue(any(), any(), anyBoolean()))
                .willReturn(CompletableFuture.failedFuture(new ProblemException(code, "later", retryAfter, null)));

        post("/queues/orders/messages", "{\"payload\":1}").expectHeader().valueEquals("Retry-After", seconds);
    }

    static Stream<Exception> databaseAway() {
        SQLTransientConnectionException away = new SQLTransientConnectionException("secret host is away");
        return Stream.of(
                new CannotGetJdbcConnectionException("no connection", away),
                new CannotCreateTransactionException("no transaction", away),
                new QueryTimeoutException("too slow", away),
                new CompletionException(new CannotGetJdbcConnectionException("no connection", away)));
    }

    @ParameterizedTest
    @MethodSource("databaseAway")
    void saysThatDatabaseIsAway(Exception away) {
        given(messages.enqueue(any(), any(), anyBoolean())).willReturn(CompletableFuture.failedFuture(away));

        post("/queues/orders/messages", "{\"payload\":1}")
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("storage-unavailable")
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).doesNotContain("secret", "SQL"));
    }

    @Test
    void tellsNothingOfTheUnexpectedButItsIncident(CapturedOutput output) {
        given(queues.list()).willThrow(new IllegalStateException("select secret from message"));

        problem(http.get().uri("/queues").exchange(), ProblemCode.INTERNAL_ERROR)
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).doesNotContain("select"))
                .jsonPath("$.incident")
                .value(String.class, incident -> {
                    assertThat(incident).isNotBlank();
                    assertThat(output.getAll().split("incident " + incident, -1))
                            .hasSize(2);
                    assertThat(output).contains("ERROR", "select secret from message");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/nothing",
        "GET, /api/v1",
        "GET, /api/v2/queues",
        "GET, /nothing",
        "GET, /api/v1/queues/",
        "POST, /api/v1/queues/orders/admit",
        "POST, /api/v1/throttles/stripe/nothing",
        "GET, /api/v1/scripts/run",
        "GET, /api/v1/openapi",
        "POST, /api/v1/subscriptions/5d0c8f9e-0d7b-4a3e-9a55-3d1f9b0f4c11/drain"
    })
    void knowsNoSuchPath(String method, String path) {
        problem(absolute(method, path).exchange(), ProblemCode.NOT_FOUND)
                .jsonPath("$.instance")
                .isEqualTo(path);
    }

    @Test
    void leavesPagesElsewhereToSpringBoot() {
        absolute("GET", "/nothing")
                .accept(MediaType.TEXT_HTML)
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectHeader()
                .contentTypeCompatibleWith(MediaType.TEXT_HTML);
        problem(absolute("GET", "/api/v1/nothing").accept(MediaType.TEXT_HTML).exchange(), ProblemCode.NOT_FOUND);
    }

    @ParameterizedTest
    @CsvSource({
        "DELETE, /queues, 'GET'",
        "POST, /queues/orders, 'PUT,GET,PATCH,DELETE'",
        "GET, /queues/orders/purge, 'POST'",
        "PUT, /queues/orders/messages, 'POST,GET'",
        "POST, /throttles/stripe, 'GET'",
        "GET, /throttles/stripe/permits, 'POST'"
    })
    void namesMethodsThatAreAllowed(String method, String path, String allowed) {
        problem(absolute(method, "/api/v1" + path).exchange(), ProblemCode.METHOD_NOT_ALLOWED);
        absolute(method, "/api/v1" + path)
                .exchange()
                .expectHeader()
                .value("Allow", allow -> assertThat(allow.split(", ?")).contains(allowed.split(",")));
    }

    @Test
    void answersOptionsAndHead() {
        given(queues.list()).willReturn(List.of());

        http.options()
                .uri("/queues")
                .exchange()
                .expectStatus()
                .isOk()
                .expectHeader()
                .value("Allow", allow -> assertThat(allow).contains("GET", "HEAD", "OPTIONS"));
        http.head().uri("/queues").exchange().expectStatus().isOk().expectBody().isEmpty();
        http.head()
                .uri("/nothing")
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectBody()
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "application/json;charset=UTF-16",
                "application/json;charset=ISO-8859-1",
                "application/xml",
                "json"
            })
    void takesJsonOnly(String contentType) {
        problem(enqueueAs(contentType), ProblemCode.UNSUPPORTED_MEDIA_TYPE)
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("Content-Type", "application/json"));
    }

    @Test
    void refusesBodyOfUnknownType() {
        problem(enqueueAs(null), ProblemCode.UNSUPPORTED_MEDIA_TYPE)
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("Content-Type", "got none"));
    }

    @Test
    void refusesCompressedBody() {
        problem(
                http.post()
                        .uri("/queues/orders/messages")
                        .contentType(MediaType.APPLICATION_JSON)
                        .header("Content-Encoding", "gzip")
                        .bodyValue("{}")
                        .exchange(),
                ProblemCode.UNSUPPORTED_MEDIA_TYPE);
    }

    @Test
    void writesJsonOnly() {
        problem(http.get().uri("/queues").accept(MediaType.APPLICATION_XML).exchange(), ProblemCode.NOT_ACCEPTABLE)
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("Accept", "application/json"));
        problem(http.get().uri("/queues").header("Accept", "x").exchange(), ProblemCode.NOT_ACCEPTABLE);
    }

    @Test
    void refusesBodyBeyondItsBound() {
        String large = "{\"payload\":\"" + "x".repeat(3 << 20) + "\"}";
        problem(post("/queues/orders/messages", large), ProblemCode.PAYLOAD_TOO_LARGE)
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("body: expected at most 2097152 bytes"));
        problem(post("/queues/orders/subscriptions", " ".repeat(300 << 10)), ProblemCode.PAYLOAD_TOO_LARGE);

        given(messages.enqueue(any(), any(), anyBoolean()))
                .willReturn(CompletableFuture.completedFuture(List.of(new Enqueued(MESSAGE, false))));
        post("/queues/orders/messages", "{\"payload\":\"" + "x".repeat(1 << 20) + "\"}")
                .expectStatus()
                .isCreated();
    }

    @Test
    void refusesChunkedBodyBeyondItsBound() {
        byte[] piece = " ".repeat(64 << 10).getBytes(StandardCharsets.UTF_8);
        problem(
                http.post()
                        .uri("/queues/orders/messages")
                        .contentType(MediaType.APPLICATION_JSON)
                        .body(Flux.range(0, 200).map(i -> piece), byte[].class)
                        .exchange(),
                ProblemCode.PAYLOAD_TOO_LARGE);
    }

    private WebTestClient.ResponseSpec enqueueAs(@Nullable String contentType) {
        byte[] body = "{\"payload\":1}".getBytes(StandardCharsets.UTF_8);
        return http.post()
                .uri("/queues/orders/messages")
                .headers(headers -> {
                    if (contentType != null) {
                        headers.set("Content-Type", contentType);
                    }
                })
                .body((message, context) ->
                        message.writeWith(Mono.just(message.bufferFactory().wrap(body))))
                .exchange();
    }

    private WebTestClient.RequestBodySpec absolute(String method, String path) {
        return http.method(HttpMethod.valueOf(method)).uri("http://127.0.0.1:" + port + path);
    }

    private static WebTestClient.BodyContentSpec problem(WebTestClient.ResponseSpec response, ProblemCode code) {
        return response.expectStatus()
                .isEqualTo(code.httpStatus())
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo(code.slug())
                .jsonPath("$.status")
                .isEqualTo(code.httpStatus());
    }
}
