package io.fila.broker.admin;

import io.fila.broker.TestBroker;
import io.fila.broker.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

/** Scripts and their configuration over HTTP, on a real node. */
class ScriptRestIT {

    private static TestBroker broker;
    private static WebTestClient http;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(TestDatabase.create());
        http = WebTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + broker.httpPort() + "/api/v1")
                .build();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void showsWhatAScriptWouldSayOfASample() {
        attempt("""
                {"function":"on_enqueue","script":"function on_enqueue(msg) return { fairness_key = msg.headers.tenant, attributes = { big = msg.payload_size > 5 } } end",
                 "message":{"headers":{"tenant":"acme"},"payloadSize":10,"queue":"orders"}}
                """)
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.answer.fairnessKey")
                .isEqualTo("acme")
                .jsonPath("$.answer.weight")
                .isEmpty()
                .jsonPath("$.answer.attributes.big")
                .isEqualTo("true")
                .jsonPath("$.problem")
                .isEmpty()
                .jsonPath("$.steps")
                .isNumber()
                .jsonPath("$.bytes")
                .isNumber();
        attempt("""
                {"function":"on_failure","script":"function on_failure(msg) return { action = 'retry', delay_ms = 1000 * msg.attempts } end",
                 "message":{"attempts":3}}
                """).expectBody().json("{\"answer\":{\"action\":\"retry\",\"delay\":\"3s\"},\"problem\":null}");
    }

    @Test
    void showsWhyAScriptWouldFail() {
        attempt("{\"script\":\"function on_enqueue(msg)\\n error('no') end\"}")
                .expectStatus()
                .isOk()
                .expectBody()
                .json("{\"answer\":null,\"problem\":{\"code\":\"script-failed\",\"detail\":\"line 2: no\"}}");
        attempt("{\"script\":\"function on_enqueue(msg) while true do end end\"}")
                .expectBody()
                .jsonPath("$.problem.code")
                .isEqualTo("script-timed-out");
        attempt("{\"script\":\"function on_enqueue(msg) end end\"}")
                .expectStatus()
                .isEqualTo(422)
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("invalid-script")
                .jsonPath("$.detail")
                .isEqualTo("script: line 1: the end of the script expected");
        attempt("{\"script\":\"\",\"function\":\"on_ack\"}")
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo("function: expected on_enqueue or on_failure, got 'on_ack'");
    }

    @Test
    void givesAQueueItsScriptAndRefusesWhatThatRefuses() {
        http.put()
                .uri("/queues/scripted")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"onEnqueue\":\"function on_enqueue(msg) assert(msg.headers.account, 'no account') end\"}")
                .exchange()
                .expectStatus()
                .isCreated();

        http.post()
                .uri("/queues/scripted/messages")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("[{\"payload\":1,\"headers\":{\"account\":\"a\"}},{\"payload\":2}]")
                .exchange()
                .expectStatus()
                .isEqualTo(422)
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("script-failed")
                .jsonPath("$.detail")
                .isEqualTo("messages[1]: on_enqueue of queue 'scripted' failed: line 1: no account");
        http.get()
                .uri("/queues/scripted")
                .exchange()
                .expectBody()
                .jsonPath("$.onEnqueue")
                .isNotEmpty()
                .jsonPath("$.stats.pausedScripts")
                .isEmpty()
                .jsonPath("$.stats.ready")
                .isEqualTo(0);
    }

    @Test
    void tellsWhichScriptItDoesNotRunForNow() {
        http.put()
                .uri("/queues/endless")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"onEnqueue\":\"function on_enqueue(msg) while true do end end\"}")
                .exchange()
                .expectStatus()
                .isCreated();
        for (int i = 0; i < 6; i++) {
            http.post()
                    .uri("/queues/endless/messages")
                    .contentType(MediaType.APPLICATION_JSON)
                    .bodyValue("{\"payload\":1}")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(503)
                    .expectHeader()
                    .exists("Retry-After")
                    .expectBody()
                    .jsonPath("$.code")
                    .isEqualTo("script-timed-out");
        }

        http.get()
                .uri("/queues/endless")
                .exchange()
                .expectBody()
                .jsonPath("$.stats.pausedScripts[0].function")
                .isEqualTo("on_enqueue")
                .jsonPath("$.stats.pausedScripts[0].until")
                .isNotEmpty();
    }

    @Test
    void keepsConfiguration() {
        http.put()
                .uri("/config/limit.acme")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"value\":\"10\"}")
                .exchange()
                .expectStatus()
                .isOk();
        http.get()
                .uri("/config?prefix=limit.")
                .exchange()
                .expectBody()
                .jsonPath("$[0].key")
                .isEqualTo("limit.acme");
        http.delete().uri("/config/limit.acme").exchange().expectStatus().isNoContent();
        http.get()
                .uri("/config/limit.acme")
                .exchange()
                .expectStatus()
                .isNotFound()
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("config-not-found");
        http.put()
                .uri("/config/limit%20acme")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"value\":\"10\"}")
                .exchange()
                .expectStatus()
                .isBadRequest();
        http.put()
                .uri("/config/large")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"value\":\"" + "x".repeat(4_097) + "\"}")
                .exchange()
                .expectStatus()
                .isBadRequest();
    }

    private static WebTestClient.ResponseSpec attempt(String json) {
        return http.post()
                .uri("/scripts/try")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(json)
                .exchange();
    }
}
