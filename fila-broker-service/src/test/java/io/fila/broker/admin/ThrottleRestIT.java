package io.fila.broker.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Throttles over HTTP, on a real database. */
class ThrottleRestIT extends RestBroker {

    @Test
    void refusesThrottleOfAnotherKey() {
        subscribe(limited("1/1h", "\"header:customer\""));

        assertThat(post(
                                "/queues/" + queue + "/subscriptions",
                                "{\"consumer\":\"other\",\"throttles\":[%s]}"
                                        .formatted(limited("1/1h", "\"fairnessKey\"")))
                        .expect(409, "throttle-conflict")
                        .text("detail"))
                .contains(throttle, "header:customer", "fairnessKey");
    }

    @Test
    void refusesLimitThatNeverBinds() {
        String declared = "{\"name\":\"%s\",\"limits\":[\"20/1s\",\"2000/1m\"]}".formatted(throttle);

        assertThat(post(
                                "/queues/" + queue + "/subscriptions",
                                "{\"consumer\":\"c\",\"throttles\":[%s]}".formatted(declared))
                        .expect(422, "limit-never-binds")
                        .text("detail"))
                .contains("2000/1m", throttle, "20/1s", "1200");
        post("/queues/no-such/subscriptions", "{\"consumer\":\"c\"}").expect(404, "queue-not-found");
    }

    @Test
    void holdsMessagesOfEverySubscriberWhileOneDeclaresThrottle() {
        enqueue(3);
        String declaring = subscribe(limited("1/1h", ""));
        String other = subscribe();

        assertThat(receive(other, 10)).hasSize(1);
        assertThat(receive(other, 10, "300ms")).isEmpty();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(get("/queues/" + queue)
                                .body()
                                .at("/stats/throttled")
                                .asLong())
                        .isEqualTo(2));

        CompletableFuture<Reply> waiting = call("POST", other + "/receive", "{\"max\":10,\"wait\":\"60s\"}");
        delete(declaring).expect(204);

        assertThat(waiting.join().expect(200).list("deliveries")).isNotEmpty();
    }

    @Test
    void showsThrottleAndItsBuckets() {
        String subscription = subscribe(limited("2/60m", "\"header:customer\""));
        for (int i = 0; i < 3; i++) {
            enqueue("\"payload\":1,\"headers\":{\"customer\":\"acme\"}");
        }
        enqueue("\"payload\":1");
        assertThat(receive(subscription, 10, "10s").size()
                        + receive(subscription, 10, "1s").size())
                .isEqualTo(3);

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            JsonNode shown = get("/throttles/" + throttle).expect(200).body();
            assertThat(shown.get("limits").toString()).isEqualTo("[\"2/1h\"]");
            assertThat(shown.get("key").toString()).isEqualTo("[\"header:customer\"]");
            assertThat(shown.get("queues").toString()).isEqualTo("[\"%s\"]".formatted(queue));
            assertThat(shown.get("subscribers").asInt()).isEqualTo(1);
            assertThat(shown.get("activeBuckets").asInt()).isEqualTo(2);
            assertThat(shown.get("bucketsAtLimit").asInt()).isEqualTo(1);
            assertThat(shown.get("waiting").asInt()).isEqualTo(1);
            assertThat(shown.at("/topBuckets/0/key/0").asString()).isEqualTo("acme");
            JsonNode bucket = get("/throttles/" + throttle + "/bucket?key=acme")
                    .expect(200)
                    .body();
            assertThat(bucket.at("/used/0/count").asInt()).isEqualTo(2);
            assertThat(Instant.parse(bucket.get("roomAt").asString())).isAfter(Instant.now());
            assertThat(bucket.get("closedUntil").isNull()).isTrue();
            JsonNode shared =
                    get("/throttles/" + throttle + "/bucket").expect(200).body();
            assertThat(shared.get("key").isNull()).isTrue();
            assertThat(shared.at("/used/0/count").asInt()).isEqualTo(1);
        });
        assertThat(get("/throttles").expect(200).body().toString()).contains(throttle);
        get("/throttles/" + throttle + "/bucket?key=a&key=b").expect(400, "invalid-request");
        get("/throttles/no-such").expect(404, "throttle-not-found");
        get("/throttles/no-such/bucket").expect(404, "throttle-not-found");
    }

    private Reply acquire(String body) {
        return post("/throttles/" + throttle + "/permits", body);
    }

    @Test
    void grantsPermitsOfABucket() {
        subscribe(limited("2/60m", "\"header:customer\""));

        assertThat(acquire("{\"key\":[\"acme\"],\"permits\":2}")
                        .expect(200)
                        .body()
                        .toString())
                .isEqualTo("{\"granted\":true}");
        Instant before = Instant.now();
        JsonNode refused = acquire("{\"key\":[\"acme\"]}").expect(200).body();
        assertThat(refused.get("granted").asBoolean()).isFalse();
        assertThat(Instant.parse(refused.get("roomAt").asString()))
                .isBetween(before.plus(Duration.ofMinutes(59)), before.plus(Duration.ofMinutes(61)));
        assertThat(acquire("{\"key\":null,\"permits\":1}").expect(200).body().toString())
                .isEqualTo("{\"granted\":true}");
        assertThat(acquire(null).expect(200).body().toString()).isEqualTo("{\"granted\":true}");
        assertThat(acquire("{\"key\":[]}").expect(200).body().get("granted").asBoolean())
                .isFalse();
        assertThat(get("/throttles/" + throttle + "/bucket?key=acme")
                        .expect(200)
                        .body()
                        .at("/used/0/count")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void countsPermitsForMessages() {
        String subscription = subscribe(limited("2/1h", ""));
        assertThat(acquire("{}").expect(200).body().get("granted").asBoolean()).isTrue();
        enqueue(3);

        assertThat(receive(subscription, 10)).hasSize(1);
        assertThat(receive(subscription, 10, "300ms")).isEmpty();
        assertThat(acquire("{}").expect(200).body().get("granted").asBoolean()).isFalse();
    }

    @Test
    void refusesPermitsOfABucketThatCannotBe() {
        acquire("{}").expect(404, "throttle-not-found");
        String unthrottled =
                "{\"name\":\"%s\",\"limits\":[\"5/1m\",\"2/1s\"],\"key\":[\"header:a\",\"fairnessKey\"],\"whenKeyMissing\":\"unthrottled\"}"
                        .formatted(throttle);
        subscribe(unthrottled);

        assertThat(acquire("{\"key\":[\"x\"]}").expect(400, "invalid-request").text("detail"))
                .contains("key: expected 2 values", "header:a", "fairnessKey", throttle, "got 1");
        assertThat(acquire("{}").expect(400, "invalid-request").text("detail"))
                .contains("key: expected 2 values", "lacks its key", throttle);
        assertThat(acquire("{\"key\":[\"x\",\"y\"],\"permits\":3}")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .contains("permits: expected at most 2", throttle, "got 3");
        acquire("{\"key\":[\"x\",\"y\"],\"permits\":2}").expect(200);
    }

    @Test
    void refusesABucketOfAKeyOfAnotherShape() {
        subscribe(limited("2/1h", "\"header:customer\""));

        assertThat(get("/throttles/" + throttle + "/bucket?key=a&key=b")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .contains("key: expected 1 values", "header:customer", throttle, "got 2");
    }

    @Test
    void refusesAKeyOfAnUnkeyedThrottle() {
        subscribe(limited("2/1h", ""));

        assertThat(acquire("{\"key\":[\"x\"]}").expect(400, "invalid-request").text("detail"))
                .contains("key: expected 0 values", "got 1");
    }
}
