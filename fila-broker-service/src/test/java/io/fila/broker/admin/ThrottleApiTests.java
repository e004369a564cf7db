package io.fila.broker.admin;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import io.fila.broker.pacing.PermitAnswer;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.stats.BucketStats;
import io.fila.broker.stats.BucketStats.Used;
import io.fila.broker.stats.ThrottleStats;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.test.json.JsonCompareMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.ArgumentMatchers.isNull;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.verify;

/** Throttles over HTTP. */
class ThrottleApiTests extends RestSlice {

    private static final Limit LIMIT = Limit.parse("limits", "10/1000ms");
    private static final KeyComponent CUSTOMER = new KeyComponent.Header("customer");

    @Test
    void showsThrottleWithTopBuckets() {
        given(stats.throttle("stripe", 10))
                .willReturn(throttle(
                        List.of(CUSTOMER),
                        List.of(
                                new BucketStats(List.of("acme"), 900, List.of(new Used(LIMIT, 10)), NOON, NOON),
                                new BucketStats(null, 0, List.of(), null, null))));

        http.get()
                .uri("/throttles/stripe")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json("""
                        {"name":"stripe","limits":["10/1s"],"declared":[{"limits":["10/1s"],"subscribers":2}],
                         "key":["header:customer"],"whenKeyMissing":"shared-bucket","queues":["orders"],"subscribers":2,
                         "activeBuckets":3,"bucketsAtLimit":1,"waiting":900,"topBuckets":[
                           {"key":["acme"],"waiting":900,"used":[{"limit":"10/1s","count":10}],
                            "roomAt":"2030-01-31T12:00:00Z"},
                           {"key":null,"waiting":0,"used":[],"roomAt":null}]}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void asksForAsManyTopBucketsAsWanted() {
        given(stats.throttle(eq("stripe"), anyInt())).willReturn(throttle(List.of(), List.of()));

        http.get()
                .uri("/throttles/stripe?topBuckets=0")
                .exchange()
                .expectStatus()
                .isOk();
        http.get()
                .uri("/throttles/stripe?topBuckets=1000")
                .exchange()
                .expectStatus()
                .isOk();

        verify(stats).throttle("stripe", 0);
        verify(stats).throttle("stripe", 1000);
    }

    @Test
    void listsWithoutThrottleForgottenMeanwhile() {
        given(stats.throttles()).willReturn(List.of("gone", "stripe"));
        given(stats.throttle("gone", 0)).willThrow(new ProblemException(ProblemCode.THROTTLE_NOT_FOUND, "gone"));
        given(stats.throttle("stripe", 0)).willReturn(throttle(List.of(), List.of()));

        http.get()
                .uri("/throttles")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$[*].name")
                .value(List.class, names -> assertThat(names).isEqualTo(List.of("stripe")));
    }

    @Test
    void showsBucketByValuesOfItsKeyInOrder() {
        given(stats.bucket("stripe", List.of("a&b", "")))
                .willReturn(new BucketStats(List.of("a&b", ""), 1, List.of(new Used(LIMIT, 2)), null, NOON));

        http.get()
                .uri(base -> base.path("/throttles/stripe/bucket")
                        .queryParam("key", "{a}", "{b}")
                        .build("a&b", ""))
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json("""
                        {"key":["a&b",""],"waiting":1,"used":[{"limit":"10/1s","count":2}],"roomAt":null,
                         "closedUntil":"2030-01-31T12:00:00Z"}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void showsBucketOfMessagesLackingTheKeyWithoutValues() {
        given(stats.bucket("stripe", List.of())).willReturn(new BucketStats(null, 1, List.of(), null, null));

        http.get()
                .uri("/throttles/stripe/bucket")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"key\":null,\"waiting\":1,\"used\":[],\"roomAt\":null,\"closedUntil\":null}");
    }

    @Test
    void showsTheOneBucketOfUnkeyedThrottle() {
        given(stats.bucket("stripe", List.of())).willReturn(new BucketStats(List.of(), 1, List.of(), null, null));

        http.get()
                .uri("/throttles/stripe/bucket")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.key")
                .isArray();
    }

    @Test
    void answersPermitsWithWhatIsKnown() {
        answer("granted", null);
        answer("full", NOON);

        post("/throttles/granted/permits", "{\"key\":[\"a\",\"\"],\"permits\":3}")
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"granted\":true}");
        verify(permits).acquire(eq("granted"), eq(List.of("a", "")), eq(3), any());
        post("/throttles/full/permits", "{}")
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"granted\":false,\"roomAt\":\"2030-01-31T12:00:00Z\"}");
        verify(permits).acquire(eq("full"), isNull(), eq(1), any());
    }

    private void answer(String throttle, @Nullable Instant roomAt) {
        willAnswer(call -> {
                    Consumer<PermitAnswer> caller = call.getArgument(3);
                    caller.accept(new PermitAnswer(roomAt));
                    return null;
                })
                .given(permits)
                .acquire(eq(throttle), any(), anyInt(), any());
    }

    private static ThrottleStats throttle(List<KeyComponent> key, List<BucketStats> topBuckets) {
        return new ThrottleStats(
                "stripe",
                List.of(LIMIT),
                List.of(new ThrottleStats.Declared(List.of(LIMIT), 2)),
                key,
                MissingKey.SHARED_BUCKET,
                List.of(ORDERS),
                2,
                3,
                1,
                900,
                topBuckets);
    }
}
