package io.fila.broker.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fila.broker.message.Reclassify;
import io.fila.broker.message.Redriven;
import io.fila.broker.message.Redriven.Kept;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.DeliveryDurability;
import io.fila.broker.queue.Ordering;
import io.fila.broker.queue.Ordering.WhenKeyMissing;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.QueueSettings;
import io.fila.broker.queue.RetryPolicy;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.queue.SettingsChange.RetryChange;
import io.fila.broker.queue.SettingsChange.ScriptsChange;
import io.fila.broker.queue.WhenScriptFails;
import io.fila.broker.script.Hook;
import io.fila.broker.stats.QueueStats;
import io.fila.broker.stats.QueueStats.DeclaredThrottle;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

/** Queues over HTTP: what goes to the service and what comes back. */
class QueueApiTests extends RestSlice {

    private static final SettingsChange NOTHING = SettingsChange.NONE;

    private static final QueueStats STATS = new QueueStats(
            1,
            2,
            3,
            4,
            5,
            6,
            NOON,
            null,
            7,
            List.of(new DeclaredThrottle(
                    "stripe",
                    List.of(Limit.parse("limits", "60/60s")),
                    List.of(new KeyComponent.Header("customer")),
                    MissingKey.SHARED_BUCKET,
                    2)));

    @Test
    void createsWithSettings() {
        SettingsChange given = new SettingsChange(
                Duration.ofSeconds(90),
                new RetryChange(5, Duration.ofMillis(250), 1.5, Duration.ofMinutes(2), 0.0),
                Optional.of(1_000_000L),
                new Ordering(List.of(new KeyComponent.Header("account")), WhenKeyMissing.UNORDERED),
                DeliveryDurability.FAST,
                Optional.of(Duration.ofDays(14)));
        given(queues.declare(ORDERS, given)).willReturn(true);
        given(queues.get(ORDERS))
                .willReturn(queue(
                        new QueueSettings(
                                Duration.ofSeconds(90),
                                new RetryPolicy(5, Duration.ofMillis(250), 1.5, Duration.ofMinutes(2), 0),
                                1_000_000L,
                                given.ordering(),
                                DeliveryDurability.FAST,
                                Duration.ofDays(14)),
                        false));

        put("""
                {"visibilityTimeout":"PT1M30S","retry":{"maxAttempts":5,
                 "backoff":{"initial":"250ms","multiplier":1.5,"max":"2m","jitter":0}},"maxBacklog":1000000,
                 "ordering":{"key":["header:account"],"whenKeyMissing":"unordered"},"deliveryDurability":"fast",
                 "deadLetterRetention":"336h"}
                """).expectStatus().isCreated().expectBody().json("""
                        {"name":"orders","visibilityTimeout":"90s","retry":{"maxAttempts":5,
                         "backoff":{"initial":"250ms","multiplier":1.5,"max":"2m","jitter":0.0}},
                         "maxBacklog":1000000,"ordering":{"key":["header:account"],"whenKeyMissing":"unordered"},
                         "deliveryDurability":"fast","deadLetterRetention":"14d","onEnqueue":null,"onFailure":null,
                         "whenScriptFails":{"policy":"reject","deadLetterAfter":null},"paused":false}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void takesMissingBodyAndEmptyObjectAndNullsForDefaults() {
        given(queues.declare(ORDERS, NOTHING)).willReturn(false);
        given(queues.declare(ORDERS, new SettingsChange(null, new RetryChange(null, null, null, null, null), null)))
                .willReturn(false);
        given(queues.get(ORDERS)).willReturn(queue(QueueSettings.DEFAULT, true));

        http.put().uri("/queues/orders").exchange().expectStatus().isOk();
        put("{\"visibilityTimeout\":null,\"retry\":null,\"maxBacklog\":null}")
                .expectStatus()
                .isOk();
        put("{\"retry\":{\"backoff\":null}}").expectStatus().isOk();
        put("{}").expectStatus().isOk().expectBody().json("""
                        {"name":"orders","visibilityTimeout":"30s","retry":{"maxAttempts":3,
                         "backoff":{"initial":"1s","multiplier":2.0,"max":"1m","jitter":0.1}},
                         "maxBacklog":null,"ordering":null,"deliveryDurability":"committed","deadLetterRetention":null,
                         "onEnqueue":null,"onFailure":null,"whenScriptFails":{"policy":"reject","deadLetterAfter":null},
                         "paused":true}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void mergesPatch() {
        SettingsChange change = new SettingsChange(null, null, 5L);
        given(queues.change(ORDERS, change)).willReturn(queue(QueueSettings.DEFAULT, false));

        http.patch()
                .uri("/queues/orders")
                .contentType(MediaType.parseMediaType("application/merge-patch+json"))
                .bodyValue("{\"maxBacklog\":5}")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.name")
                .isEqualTo("orders");

        verify(queues).change(ORDERS, change);
    }

    @Test
    void showsSettingsAndStats() {
        given(queues.get(ORDERS)).willReturn(queue(QueueSettings.DEFAULT, false));
        given(stats.queue(ORDERS)).willReturn(STATS);
        given(scripts.paused(anyLong())).willReturn(Map.of(Hook.ON_ENQUEUE, NOON));

        http.get()
                .uri("/queues/orders")
                .exchange()
                .expectStatus()
                .isOk()
                .expectHeader()
                .contentType(MediaType.APPLICATION_JSON)
                .expectBody()
                .json("""
                        {"name":"orders","visibilityTimeout":"30s","retry":{"maxAttempts":3,
                         "backoff":{"initial":"1s","multiplier":2.0,"max":"1m","jitter":0.1}},
                         "maxBacklog":null,"ordering":null,"deliveryDurability":"committed","deadLetterRetention":null,
                         "onEnqueue":null,"onFailure":null,"whenScriptFails":{"policy":"reject","deadLetterAfter":null},
                         "paused":false,
                         "stats":{"ready":1,"delayed":2,"throttled":3,"leased":4,"unclassified":5,"deadLettered":6,
                           "oldestReadyAt":"2030-01-31T12:00:00Z","oldestUnclassifiedAt":null,"subscribers":7,
                           "throttles":[{"name":"stripe","limits":["60/1m"],"key":["header:customer"],
                                         "whenKeyMissing":"shared-bucket","subscribers":2}],
                           "pausedScripts":[{"function":"on_enqueue","until":"2030-01-31T12:00:00Z"}]}}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void takesScripts() {
        SettingsChange given = SettingsChange.of(new ScriptsChange(
                Optional.of("function on_enqueue(msg) end"),
                Optional.of("function on_failure(msg) end"),
                new WhenScriptFails(WhenScriptFails.Policy.PARK, 10)));
        QueueSettings settings = given.over(QueueSettings.DEFAULT);
        given(queues.declare(ORDERS, given)).willReturn(true);
        given(queues.get(ORDERS)).willReturn(queue(settings, false));

        put("""
                {"onEnqueue":"function on_enqueue(msg) end","onFailure":"function on_failure(msg) end",
                 "whenScriptFails":{"policy":"park","deadLetterAfter":10}}
                """).expectStatus().isCreated().expectBody().json("""
                        {"onEnqueue":"function on_enqueue(msg) end","onFailure":"function on_failure(msg) end",
                         "whenScriptFails":{"policy":"park","deadLetterAfter":10}}
                        """);
    }

    @Test
    void takesAScriptAwayWithNull() {
        SettingsChange change = SettingsChange.of(new ScriptsChange(Optional.empty(), null, null));
        given(queues.change(ORDERS, change)).willReturn(queue(QueueSettings.DEFAULT, false));

        http.patch()
                .uri("/queues/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue("{\"onEnqueue\":null}")
                .exchange()
                .expectStatus()
                .isOk();

        verify(queues).change(ORDERS, change);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"onEnqueue":5} | onEnqueue: expected a string, got 5
            {"whenScriptFails":{"policy":"drop"}} | whenScriptFails.policy: expected 'reject' or 'park', got 'drop'
            {"whenScriptFails":{"policy":"park","deadLetterAfter":0}} | whenScriptFails.deadLetterAfter: expected 1 to 1000000, got 0
            {"whenScriptFails":{"deadLetterAfter":3}} | whenScriptFails.deadLetterAfter: expected only with policy 'park', since nothing is kept with 'reject'
            """)
    void refusesWhatIsNoScriptSetting(String body, String detail) {
        put(body)
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo(detail);
    }

    @Test
    void listsWithoutQueueThatVanishedMeanwhile() {
        QueueName gone = QueueName.of("gone");
        given(queues.list())
                .willReturn(List.of(
                        new Queue(2, gone, QueueSettings.DEFAULT, false, 3L, List.of()),
                        queue(QueueSettings.DEFAULT, false)));
        given(stats.queue(gone)).willThrow(new ProblemException(ProblemCode.QUEUE_NOT_FOUND, "gone"));
        given(stats.queue(ORDERS)).willReturn(STATS);

        http.get()
                .uri("/queues")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.length()")
                .isEqualTo(1)
                .jsonPath("$[0].name")
                .isEqualTo("orders")
                .jsonPath("$[0].stats.deadLettered")
                .isEqualTo(6);
    }

    @Test
    void listsNothingAsEmptyArray() {
        given(queues.list()).willReturn(List.of());

        http.get()
                .uri("/queues")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("[]");
    }

    @Test
    void deletesByForceOnlyWhenToldTo() {
        willThrow(new ProblemException(ProblemCode.QUEUE_NOT_EMPTY, "queue 'orders' holds 3 messages"))
                .given(queues)
                .delete(ORDERS, false);

        http.delete().uri("/queues/orders").exchange().expectStatus().isEqualTo(409);
        http.delete()
                .uri("/queues/orders?force=false")
                .exchange()
                .expectStatus()
                .isEqualTo(409);
        http.delete()
                .uri("/queues/orders?force=true")
                .exchange()
                .expectStatus()
                .isNoContent()
                .expectBody()
                .isEmpty();

        verify(queues).delete(ORDERS, true);
    }

    @Test
    void pausesResumesAndPurges() {
        given(queues.get(any())).willReturn(queue(QueueSettings.DEFAULT, true));
        given(queues.purge(ORDERS)).willReturn(12L);

        http.post()
                .uri("/queues/orders/pause")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.paused")
                .isEqualTo(true);
        http.post().uri("/queues/orders/resume").exchange().expectStatus().isOk();
        http.post()
                .uri("/queues/orders/purge")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"purged\":12}");

        verify(queues).setPaused(ORDERS, true);
        verify(queues).setPaused(ORDERS, false);
    }

    @Test
    void redrivesWithDefaultsAndAsItIsTold() {
        Redriven redriven = new Redriven(12, new Kept(1, 2, 3, 4, 5));
        given(redrives.redrive(ORDERS, 1_000, Reclassify.ALL)).willReturn(redriven);
        given(redrives.redrive(ORDERS.deadLetter(), 7, Reclassify.UNCLASSIFIED)).willReturn(redriven);
        String answer =
                "{\"moved\":12,\"kept\":{\"unclassified\":1,\"rejected\":2,\"leased\":3,\"delayed\":4,\"ready\":5}}";

        http.post()
                .uri("/queues/orders/redrive")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo(answer);
        post("/queues/orders/redrive", "{}").expectBody(String.class).isEqualTo(answer);
        post("/queues/orders.dlq/redrive", "{\"count\":7,\"reclassify\":\"unclassified\"}")
                .expectBody(String.class)
                .isEqualTo(answer);
    }

    private WebTestClient.ResponseSpec put(String json) {
        return http.put()
                .uri("/queues/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(json)
                .exchange();
    }
}
