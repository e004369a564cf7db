package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.reactive.result.method.RequestMappingInfo;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;

import static org.assertj.core.api.Assertions.assertThat;

/** What is not as it must be is refused with its name, what was expected and what was given, before any service hears of it. */
class BadRequestTests extends RestSlice {

    private static final String MESSAGES = "/queues/orders/messages";
    private static final String SUBSCRIPTIONS = "/queues/orders/subscriptions";
    private static final String ON = "/subscriptions/" + SUBSCRIPTION;

    @Autowired
    RequestMappingHandlerMapping endpoints;

    record Case(String method, String path, String body, String code, List<String> said) {
        @Override
        public String toString() {
            String shown = body.length() <= 60 ? body : body.substring(0, 60) + "…";
            return "%s %s %s".formatted(method, path, shown.replaceAll("\\p{Cntrl}", "?"));
        }
    }

    static Case put(String body, String... said) {
        return new Case("PUT", "/queues/orders", body, "invalid-request", List.of(said));
    }

    static Case enqueue(String body, String... said) {
        return new Case("POST", MESSAGES, body, "invalid-request", List.of(said));
    }

    static Case subscribe(String body, String... said) {
        return new Case("POST", SUBSCRIPTIONS, body, "invalid-request", List.of(said));
    }

    static Case on(String verb, String body, String... said) {
        return new Case("POST", ON + "/" + verb, body, "invalid-request", List.of(said));
    }

    static Case get(String path, String... said) {
        return new Case("GET", path, "", "invalid-request", List.of(said));
    }

    static Stream<Case> malformed() {
        return Stream.of(
                put("{\"maxBacklog\":\n  }", "maxBacklog", "malformed JSON", "line 2, column 3"),
                put("{\"maxBacklog\": 1", "malformed JSON", "line 1", "too early"),
                put("{'maxBacklog': 1}", "body", "malformed JSON", "line 1, column 2"),
                put("{\"maxBacklog\": NaN}", "maxBacklog", "malformed JSON"),
                put("{\"maxBacklog\": 1,}", "malformed JSON"),
                put("{/* none */}", "malformed JSON"),
                put("{\"maxBacklog\": 1} {}", "body", "one JSON value", "line 1, column 19"),
                put("{} x", "body", "malformed JSON", "column 4"),
                put("  ", "body", "empty"),
                put("[]", "body: expected an object, got an array"),
                put("\"orders\"", "body: expected an object, got the string 'orders'"),
                put("null", "body: expected an object, got null"),
                put("{\"retry\":{\"maxAttempts\":1,\"maxAttempts\":2}}", "retry.maxAttempts", "given twice"),
                enqueue("{\"payload\":1,\"headers\":{\"a\":\"1\",\"a\":\"2\"}}", "headers.a", "given twice"),
                enqueue("{\"payload\":" + "[".repeat(300) + "]".repeat(300) + "}", "beyond limits", "depth", "200"),
                enqueue("", "body", "empty"),
                enqueue("[]", "messages: expected at least one message, got an empty array"),
                enqueue("[[]]", "messages[0]: expected an object, got an array"),
                enqueue("[{\"payload\":1},7]", "messages[1]: expected an object, got 7"),
                enqueue("7", "body: expected an object, got 7"));
    }

    static Stream<Case> settings() {
        return Stream.of(
                put("{\"maxBacklog\":\"x\"}", "maxBacklog: expected a whole number, got the string 'x'"),
                put("{\"maxBacklog\":\"1\"}", "maxBacklog: expected a whole number, got the string '1'"),
                put("{\"maxBacklog\":1.5}", "maxBacklog: expected a whole number, got 1.5"),
                put("{\"maxBacklog\":1e3}", "maxBacklog: expected a whole number, got 1e3"),
                put("{\"maxBacklog\":true}", "maxBacklog: expected a whole number, got true"),
                put("{\"maxBacklog\":99999999999999999999}", "maxBacklog: expected", "got 99999999999999999999"),
                put("{\"maxBacklog\":" + "9".repeat(5000) + "}", "maxBacklog: expected", "got 9999"),
                put("{\"visibilityTimeout\":30}", "visibilityTimeout: expected a string, got 30"),
                put("{\"visibilityTimeout\":\"30 s\"}", "visibilityTimeout: expected a duration such as", "got '30 s'"),
                put("{\"retry\":3}", "retry: expected an object, got 3"),
                put("{\"retry\":{\"backoff\":[]}}", "retry.backoff: expected an object, got an array"),
                put("{\"retry\":{\"backoff\":{\"jitter\":\"0.1\"}}}", "retry.backoff.jitter: expected a number"),
                put("{\"retry\":{\"backoff\":{\"initial\":1}}}", "retry.backoff.initial: expected a string, got 1"),
                put("{\"retry\":{\"attempts\":3}}", "retry.attempts: there is no such field", "maxAttempts, backoff"),
                put("{\"ordering\":[]}", "ordering: expected an object, got an array"),
                put("{\"ordering\":{}}", "ordering.key: required, but missing"),
                put("{\"ordering\":{\"key\":\"account\"}}", "ordering.key: expected an array"),
                put("{\"ordering\":{\"key\":[\"account\"]}}", "ordering.key[0]: expected header:NAME", "got 'account'"),
                put(
                        "{\"ordering\":{\"key\":[\"header:a\",\"header:a\"]}}",
                        "ordering.key[1]: expected each",
                        "'header:a'"),
                put("{\"ordering\":{\"key\":[],\"whenKeyMissing\":\"drop\"}}", "ordering.whenKeyMissing", "got 'drop'"),
                put(
                        "{\"ordering\":{\"key\":[],\"by\":1}}",
                        "ordering.by: there is no such field",
                        "key, whenKeyMissing"),
                put("{\"deliveryDurability\":\"slow\"}", "deliveryDurability: expected committed or fast, got 'slow'"),
                put("{\"deadLetterRetention\":14}", "deadLetterRetention: expected a string, got 14"),
                put("{\"dedupWindow\":\"1m\"}", "dedupWindow: there is no such field here", "visibilityTimeout, retry"),
                put("{\"dedupWindow\":\"\"}", "dedupWindow: there is no such field here"),
                put("{\"onEnqueue\":5}", "onEnqueue: expected a string, got 5"),
                put("{\"onFailure\":\"a\\u0000b\"}", "onFailure: expected text without NUL"),
                put("{\"whenScriptFails\":\"park\"}", "whenScriptFails: expected an object, got the string 'park'"),
                put(
                        "{\"whenScriptFails\":{\"policy\":\"drop\"}}",
                        "whenScriptFails.policy: expected 'reject' or 'park', got 'drop'"),
                put("{\"name\":\"orders\"}", "name: there is no such field here"),
                new Case(
                        "PATCH",
                        "/queues/orders",
                        "{\"visibilityTimeout\":null}",
                        "invalid-request",
                        List.of("visibilityTimeout", "null")),
                new Case(
                        "PATCH",
                        "/queues/orders",
                        "{\"retry\":{\"maxAttempts\":null}}",
                        "invalid-request",
                        List.of("retry.maxAttempts", "null")),
                new Case("PATCH", "/queues/orders", "", "invalid-request", List.of("body", "empty")),
                new Case("PUT", "/queues/-orders", "{}", "invalid-request", List.of("queue", "'-orders'")),
                new Case("PUT", "/queues/" + "q".repeat(201), "{}", "invalid-request", List.of("queue", "1 to 200")),
                new Case("PUT", "/queues/orders.dlq", "{}", "reserved-name", List.of("queue", ".dlq")));
    }

    static Stream<Case> messages() {
        return Stream.of(
                enqueue("{}", "payload: required, but missing"),
                enqueue("[{\"payload\":1},{}]", "messages[1].payload: required, but missing"),
                enqueue("{\"payload\":1,\"payloadBase64\":\"AA==\"}", "at most one of payload and payloadBase64"),
                enqueue("{\"payload\":null,\"payloadBase64\":\"AA==\"}", "at most one of payload and payloadBase64"),
                enqueue("{\"payloadBase64\":\"A?==\"}", "payloadBase64: expected base64", "'A?=='"),
                enqueue("{\"payloadBase64\":1}", "payloadBase64: expected a string, got 1"),
                enqueue("{\"payload\":1,\"headers\":[]}", "headers: expected an object of strings, got an array"),
                enqueue(
                        "[{\"payload\":1},{\"payload\":1},{\"payload\":1},{\"payload\":1,\"headers\":{\"x\":1}}]",
                        "messages[3].headers.x: expected a string, got 1"),
                enqueue("{\"payload\":1,\"headers\":{\"x\":null}}", "headers.x: expected a string, got null"),
                enqueue("{\"payload\":1,\"headers\":{\"x\":\"a\\u0000\"}}", "headers.x", "NUL"),
                enqueue("{\"payload\":1,\"headers\":{\"x\":\"\\ud800\"}}", "headers.x", "surrogate"),
                enqueue("{\"payload\":1,\"headers\":{\"x\\u0000\":\"a\"}}", "headers", "NUL"),
                enqueue("{\"payload\":1,\"headers\":{\"\\udc00\":\"a\"}}", "headers", "surrogate"),
                enqueue("{\"payload\":1,\"fairnessKey\":\"\\u0000\"}", "fairnessKey", "NUL"),
                enqueue("{\"payload\":1,\"fairnessKey\":7}", "fairnessKey: expected a string, got 7"),
                enqueue("{\"payload\":\"\\ud83d\"}", "payload", "surrogate"),
                enqueue("{\"payload\":1,\"weight\":0}", "weight: expected 1 to 1000, got 0"),
                enqueue("{\"payload\":1,\"weight\":1001}", "weight: expected 1 to 1000, got 1001"),
                enqueue("{\"payload\":1,\"weight\":1.0}", "weight: expected a whole number, got 1.0"),
                enqueue("{\"payload\":1,\"delay\":\"P1Y\"}", "delay: expected a duration such as", "'P1Y'"),
                enqueue("{\"payload\":1,\"delay\":5}", "delay: expected a string, got 5"),
                enqueue("{\"payload\":1,\"notBefore\":\"tomorrow\"}", "notBefore: expected an instant", "'tomorrow'"),
                enqueue("{\"payload\":1,\"id\":\"1-1-1-1-1\"}", "id: expected a UUID, got '1-1-1-1-1'"),
                enqueue("[{\"payload\":1,\"slot\":{}}]", "messages[0].slot: there is no such field here", "payload"),
                enqueue("{\"payload\":1,\"\\ud800\":1}", "malformed JSON", "surrogate"),
                enqueue("{\"payload\":1,\"a\\u0000\":1}", "a?: there is no such field here"),
                new Case(
                        "POST",
                        "/queues/a b/messages",
                        "{\"payload\":1}",
                        "invalid-request",
                        List.of("queue", "'a b'")),
                get(MESSAGES + "?state=gone", "state: expected ready", "'gone'"),
                get(MESSAGES + "?limit=0", "limit: expected 1 to 1000, got '0'"),
                get(MESSAGES + "?limit=1001", "limit: expected 1 to 1000, got '1001'"),
                get(MESSAGES + "?limit=", "limit: expected 1 to 1000, got ''"),
                get(MESSAGES + "?limit=1&limit=2", "limit: expected once, got 2 values"),
                get(MESSAGES + "?page=1", "page: there is no such query parameter here", "state, limit, after"),
                get("/queues?limit=1", "limit: there is no such query parameter here; allowed: none"),
                get("/queues/orders?stats=false", "stats: there is no such query parameter here"),
                get("/throttles?topBuckets=1", "topBuckets: there is no such query parameter here"),
                get("/messages/7", "id: expected a UUID, got '7'"),
                new Case("DELETE", "/messages/x", "", "invalid-request", List.of("id: expected a UUID")),
                new Case(
                        "DELETE",
                        "/queues/orders?force=yes",
                        "",
                        "invalid-request",
                        List.of("force: expected true or false")));
    }

    static Stream<Case> subscriptions() {
        return Stream.of(
                subscribe("", "body", "empty"),
                subscribe("{}", "consumer: required, but missing"),
                subscribe("{\"consumer\":\"a b\"}", "consumer: expected", "'a b'"),
                subscribe("{\"consumer\":\"c\",\"ttl\":\"999ms\"}", "ttl: expected 1s to 1h, got 999ms"),
                subscribe("{\"consumer\":\"c\",\"ttl\":\"61m\"}", "ttl: expected 1s to 1h, got 61m"),
                subscribe("{\"consumer\":\"c\",\"throttles\":{}}", "throttles: expected an array, got an object"),
                subscribe("{\"consumer\":\"c\",\"throttles\":[{}]}", "throttles[0].name: required, but missing"),
                subscribe("{\"consumer\":\"c\",\"throttles\":[{\"name\":\"t\"}]}", "throttles[0].limits: required"),
                subscribe(throttle("\"limits\":[]"), "throttles[0].limits: expected 1 to"),
                subscribe(throttle("\"limits\":\"1/1s\""), "throttles[0].limits: expected an array, got the string"),
                subscribe(throttle("\"limits\":[1]"), "throttles[0].limits[0]: expected a string, got 1"),
                subscribe(throttle("\"limits\":[\"0/1s\"]"), "throttles[0].limits", "'0/1s'"),
                subscribe(throttle("\"limits\":[\"1/1s\"],\"key\":[\"customer\"]"), "throttles[0].key", "header:NAME"),
                subscribe(
                        throttle("\"limits\":[\"1/1s\"],\"whenKeyMissing\":\"drop\""),
                        "throttles[0].whenKeyMissing: expected shared-bucket or unthrottled, got 'drop'"),
                subscribe(throttle("\"limits\":[\"1/1s\"],\"rate\":1"), "throttles[0].rate: there is no such field"),
                subscribe(
                        "{\"consumer\":\"c\",\"throttles\":[{\"name\":\"t\",\"limits\":[\"1/1s\"]},{\"name\":\"t\",\"limits\":[\"2/1m\"]}]}",
                        "'t' is declared twice"),
                new Case(
                        "POST",
                        SUBSCRIPTIONS,
                        throttle("\"limits\":[\"20/1s\",\"2000/1m\"]"),
                        "limit-never-binds",
                        List.of("2000/1m", "'t'", "20/1s")),
                new Case("DELETE", "/subscriptions/7", "", "invalid-request", List.of("id: expected a UUID")));
    }

    static Stream<Case> receiving() {
        return Stream.of(
                on("receive", "{\"max\":-1}", "max: expected 0 to 1000, got -1"),
                on("receive", "{\"max\":1001}", "max: expected 0 to 1000, got 1001"),
                on("receive", "{\"max\":\"1\"}", "max: expected a whole number, got the string '1'"),
                on("receive", "{\"wait\":\"61s\"}", "wait: expected 0s to 1m, got 61s"),
                on("receive", "{\"wait\":20}", "wait: expected a string, got 20"),
                on("receive", "{\"timeout\":\"1s\"}", "timeout: there is no such field here; allowed: max, wait"),
                new Case("POST", "/subscriptions/x/receive", "{}", "invalid-request", List.of("id: expected a UUID")),
                on("ack", "{}", "leases: required, but missing"),
                on("ack", "", "body", "empty"),
                on("ack", "{\"leases\":[]}", "leases: expected at least one lease"),
                on("ack", "{\"leases\":\"x\"}", "leases: expected an array"),
                on("ack", "{\"leases\":[\"%s\",\"x\"]}".formatted(lease(1)), "leases[1]: expected a lease", "'x'"),
                on("ack", "{\"leases\":[\"%s\"],\"by\":\"1s\"}".formatted(lease(1)), "by: there is no such field"),
                on("nack", "{\"leases\":[\"%s\"],\"error\":1}".formatted(lease(1)), "error: expected a string, got 1"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"closeBucketsFor\":1}".formatted(lease(1)),
                        "closeBucketsFor: expected a string, got 1"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"closeBucketsOf\":[\"t\"]}".formatted(lease(1)),
                        "closeBucketsOf: expected only with closeBucketsFor"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"closeBucketsFor\":\"1s\",\"closeBucketsOf\":[]}".formatted(lease(1)),
                        "closeBucketsOf: expected at least one throttle"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"closeBucketsFor\":\"1s\",\"deadLetter\":true}".formatted(lease(1)),
                        "closeBucketsFor: expected none with deadLetter"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"deadLetter\":true,\"retryAfter\":\"1s\"}".formatted(lease(1)),
                        "retryAfter",
                        "deadLetter"),
                on(
                        "nack",
                        "{\"leases\":[\"%s\"],\"deadLetter\":\"true\"}".formatted(lease(1)),
                        "deadLetter: expected true or"),
                get("/throttles/t?topBuckets=1001", "topBuckets: expected 0 to 1000, got '1001'"),
                get("/throttles/t?topBuckets=x", "topBuckets: expected 0 to 1000, got 'x'"),
                get("/throttles/-", "throttle: expected 1 to 200", "'-'"));
    }

    static Stream<Case> permits() {
        return Stream.of(
                permits("[]", "body: expected an object, got an array"),
                permits("{\"permits\":0}", "permits: expected 1 to 1000000000, got 0"),
                permits("{\"permits\":1000000001}", "permits: expected 1 to 1000000000, got 1000000001"),
                permits("{\"permits\":1.0}", "permits: expected a whole number, got 1.0"),
                permits("{\"permits\":\"1\"}", "permits: expected a whole number, got the string '1'"),
                permits("{\"key\":\"acme\"}", "key: expected an array, got the string 'acme'"),
                permits("{\"key\":[1]}", "key[0]: expected a string, got 1"),
                permits("{\"key\":[null]}", "key[0]: expected a string, got null"),
                permits("{\"key\":[\"\\u0000\"]}", "key[0]: expected text without NUL"),
                permits("{\"key\":[\"\\ud800\"]}", "key[0]: expected Unicode text"),
                permits("{\"key\":[%s\"\"]}".formatted("\"\",".repeat(8)), "key: expected at most 8 elements"),
                permits("{\"count\":1}", "count: there is no such field here", "key, permits"),
                new Case(
                        "POST",
                        "/throttles/t/permits?permits=1",
                        "{}",
                        "invalid-request",
                        List.of("permits: there is no such query parameter here")));
    }

    static Stream<Case> redriving() {
        return Stream.of(
                redrive("[]", "body: expected an object, got an array"),
                redrive("{\"count\":0}", "count: expected 1 to 100000, got 0"),
                redrive("{\"count\":-1}", "count: expected 1 to 100000, got -1"),
                redrive("{\"count\":100001}", "count: expected 1 to 100000, got 100001"),
                redrive("{\"count\":99999999999999999999}", "count: expected 1 to 100000, got 99999999999999999999"),
                redrive("{\"count\":1.0}", "count: expected a whole number, got 1.0"),
                redrive("{\"count\":\"all\"}", "count: expected a whole number, got the string 'all'"),
                redrive("{\"reclassify\":\"some\"}", "reclassify: expected all, unclassified or none; got 'some'"),
                redrive("{\"reclassify\":\"ALL\"}", "reclassify: expected all, unclassified or none; got 'ALL'"),
                redrive("{\"reclassify\":false}", "reclassify: expected a string, got false"),
                redrive("{\"max\":1}", "max: there is no such field here", "count, reclassify"),
                new Case("POST", "/queues/a b/redrive", "{}", "invalid-request", List.of("queue", "'a b'")),
                new Case(
                        "POST",
                        "/queues/orders/redrive?count=1",
                        "",
                        "invalid-request",
                        List.of("count: there is no such query parameter here")));
    }

    static Stream<Case> unread() {
        String nothing = "there is no such query parameter here; allowed: none";
        return Stream.of(
                new Case(
                        "DELETE",
                        "/messages/" + MESSAGE + "?froce=true",
                        "",
                        "invalid-request",
                        List.of("froce: there is no such query parameter here; allowed: queue")),
                new Case(
                        "DELETE",
                        "/queues/orders?froce=true",
                        "",
                        "invalid-request",
                        List.of("froce: there is no such query parameter here; allowed: force")),
                new Case("PUT", "/queues/orders?force", "", "invalid-request", List.of("force", nothing)),
                new Case(
                        "POST",
                        MESSAGES + "?delay=5s",
                        "{\"payload\":1}",
                        "invalid-request",
                        List.of("delay", nothing)),
                new Case("POST", ON + "/receive?max=10", "", "invalid-request", List.of("max", nothing)),
                new Case(
                        "POST",
                        "/queues/orders/pause",
                        "{\"for\":\"1m\"}",
                        "invalid-request",
                        List.of("for: there is no such field here; allowed: none")),
                new Case("POST", "/queues/orders/purge", "[]", "invalid-request", List.of("body: expected an object")),
                new Case(
                        "DELETE",
                        "/queues/orders",
                        "{\"force\":true}",
                        "invalid-request",
                        List.of("force: there is no")),
                new Case("DELETE", ON, "{", "invalid-request", List.of("malformed JSON")));
    }

    private static Case redrive(String body, String... said) {
        return new Case("POST", "/queues/orders/redrive", body, "invalid-request", List.of(said));
    }

    private static Case permits(String body, String... said) {
        return new Case("POST", "/throttles/t/permits", body, "invalid-request", List.of(said));
    }

    @ParameterizedTest
    @MethodSource({"malformed", "settings", "messages", "subscriptions", "receiving", "permits", "redriving", "unread"})
    void refusesWithFieldExpectationAndWhatWasGiven(Case bad) {
        WebTestClient.RequestBodySpec request =
                http.method(HttpMethod.valueOf(bad.method)).uri(bad.path);
        if (!bad.body.isEmpty()) {
            request.contentType(MediaType.APPLICATION_JSON).bodyValue(bad.body);
        }
        request.exchange()
                .expectStatus()
                .isEqualTo(bad.code.equals("invalid-request") ? 400 : 422)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo(bad.code)
                .jsonPath("$.type")
                .isEqualTo("urn:fila:problem:" + bad.code)
                .jsonPath("$.detail")
                .value(
                        String.class,
                        detail -> assertThat(detail).contains(bad.said).doesNotContain("jackson", "null)"));
    }

    /** About 15 of them once took whatever came; a new one shall not. */
    @Test
    void noEndpointIgnoresWhatItDoesNotKnow() {
        List<Case> all = endpoints.getHandlerMethods().keySet().stream()
                .flatMap(BadRequestTests::unknownTo)
                .toList();

        assertThat(all).hasSizeGreaterThan(40);
        all.forEach(this::refusesWithFieldExpectationAndWhatWasGiven);
    }

    private static Stream<Case> unknownTo(RequestMappingInfo endpoint) {
        String path =
                endpoint.getPatternsCondition().getPatterns().iterator().next().getPatternString();
        String called = path.substring("/api/v1".length())
                .replace("{id}", MESSAGE.toString())
                .replaceAll("\\{\\w+}", "orders");
        return endpoint.getMethodsCondition().getMethods().stream()
                .map(RequestMethod::name)
                .flatMap(method -> Stream.of(
                        new Case(
                                method,
                                called + "?nonsense=1",
                                "",
                                "invalid-request",
                                List.of("nonsense: there is no such query parameter here")),
                        new Case(
                                method,
                                called,
                                "{\"nonsense\":1}",
                                "invalid-request",
                                List.of("nonsense: there is no such field here"))));
    }

    static Stream<byte[]> notUtf8() {
        return Stream.of(
                new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xff, '"', '}'},
                new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xc0, (byte) 0x80, '"', '}'},
                new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', '}'},
                "{\"payload\":1}".getBytes(StandardCharsets.UTF_16BE),
                "{\"payload\":1}".getBytes(StandardCharsets.UTF_16LE),
                "{\"payload\":1}".getBytes(StandardCharsets.UTF_16));
    }

    @ParameterizedTest
    @MethodSource("notUtf8")
    void refusesBytesThatAreNotUtf8(byte[] body) {
        http.post()
                .uri(MESSAGES)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .value(String.class, detail -> assertThat(detail).contains("body", "UTF-8", "byte"));
    }

    @AfterEach
    void noServiceHeardOfIt() {
        Mockito.verifyNoInteractions(queues, redrives, messages, subscriptions, stats, permits);
    }

    private static String throttle(String rest) {
        return "{\"consumer\":\"c\",\"throttles\":[{\"name\":\"t\",%s}]}".formatted(rest);
    }
}
