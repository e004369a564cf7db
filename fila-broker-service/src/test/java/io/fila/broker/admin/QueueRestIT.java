package io.fila.broker.admin;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Queues over HTTP, on a real database. */
class QueueRestIT extends RestBroker {

    @Test
    void takesTheMaximumBacklogAwayOnPatch() {
        put("/queues/" + queue, "{\"maxBacklog\":5,\"retry\":{\"maxAttempts\":7}}")
                .expect(200);

        JsonNode patched = call("PATCH", "/queues/" + queue, "{\"maxBacklog\":null}")
                .join()
                .expect(200)
                .body();

        assertThat(patched.get("maxBacklog").isNull()).isTrue();
        assertThat(patched.at("/retry/maxAttempts").asInt()).isEqualTo(7);
        enqueue(6);
    }

    @Test
    void replacesSettingsOnPutAndMergesOnPatch() {
        put("/queues/" + queue, "{\"maxBacklog\":5,\"retry\":{\"maxAttempts\":7}}")
                .expect(200);

        JsonNode patched = call("PATCH", "/queues/" + queue, "{\"retry\":{\"backoff\":{\"initial\":\"2s\"}}}")
                .join()
                .expect(200)
                .body();
        assertThat(patched.get("maxBacklog").asInt()).isEqualTo(5);
        assertThat(patched.at("/retry/maxAttempts").asInt()).isEqualTo(7);
        assertThat(patched.at("/retry/backoff/initial").asString()).isEqualTo("2s");

        JsonNode replaced = put("/queues/" + queue, "{\"visibilityTimeout\":\"1h\"}")
                .expect(200)
                .body();
        assertThat(replaced.get("visibilityTimeout").asString()).isEqualTo("1h");
        assertThat(replaced.get("maxBacklog").isNull()).isTrue();
        assertThat(replaced.at("/retry/maxAttempts").asInt()).isEqualTo(3);

        call("PATCH", "/queues/no-such", "{}").join().expect(404, "queue-not-found");
        put("/queues/" + queue, "{\"visibilityTimeout\":\"1ms\"}").expect(400, "invalid-request");
    }

    @Test
    void createsQueueOnceHoweverManyAsk() {
        String path = "/queues/contended-" + UUID.randomUUID();

        List<Integer> statuses = IntStream.range(0, 8).mapToObj(i -> call("PUT", path, "{}")).toList().stream()
                .map(CompletableFuture::join)
                .map(Reply::status)
                .sorted()
                .toList();

        assertThat(statuses).containsExactly(200, 200, 200, 200, 200, 200, 200, 201);
    }

    @Test
    void showsQueueWithStats() {
        enqueue(3);
        enqueue("\"payload\":1,\"delay\":\"1h\"");

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            JsonNode stats = get("/queues/" + queue).expect(200).body().get("stats");
            assertThat(stats.get("ready").asLong()).isEqualTo(3);
            assertThat(stats.get("delayed").asLong()).isEqualTo(1);
            assertThat(stats.get("oldestReadyAt").isNull()).isFalse();
        });
        assertThat(get("/queues").expect(200).body().toString()).contains(queue).doesNotContain(queue + ".dlq");
    }

    @Test
    void deletesFullQueueByForceOnly() {
        enqueue(1);

        delete("/queues/" + queue).expect(409, "queue-not-empty");
        delete("/queues/" + queue + "?force=true").expect(204);
    }

    /** Misspelt, this once cancelled or deleted all the same. */
    @Test
    void changesNothingOnRequestThatItDoesNotUnderstand() {
        String id = enqueue("\"payload\":1");

        delete("/messages/" + id + "?froce=true").expect(400, "invalid-request");
        delete("/queues/" + queue + "?froce=true").expect(400, "invalid-request");
        post("/queues/" + queue + "/purge", "{\"state\":\"delayed\"}").expect(400, "invalid-request");
        get("/messages/" + id).expect(200);

        post("/queues/" + queue + "/purge", "{}").expect(200);
        get("/messages/" + id).expect(404, "message-not-found");
    }

    @Test
    void purges() {
        enqueue(3);

        assertThat(post("/queues/" + queue + "/purge", null)
                        .expect(200)
                        .body()
                        .get("purged")
                        .asLong())
                .isEqualTo(3);
        delete("/queues/" + queue).expect(204);
    }

    @Test
    void bringsDeadLettersBack() {
        enqueue(3);
        String subscription = subscribe();
        for (int received = 0; received < 3; received++) {
            JsonNode delivery = receiveOne(subscription);
            assertDone(settle(subscription, "nack", delivery, ",\"error\":\"no\",\"deadLetter\":true"));
        }
        JsonNode dead = get("/queues/" + queue + ".dlq/messages")
                .expect(200)
                .list("messages")
                .get(0);
        assertThat(dead.get("deadLetteredAt").isNull()).isFalse();

        Reply first = post("/queues/" + queue + "/redrive", "{\"count\":2,\"reclassify\":\"none\"}")
                .expect(200);
        assertThat(first.response().body())
                .isEqualTo(
                        "{\"moved\":2,\"kept\":{\"unclassified\":0,\"rejected\":0,\"leased\":0,\"delayed\":0,\"ready\":1}}");
        assertThat(post("/queues/" + queue + ".dlq/redrive", null)
                        .expect(200)
                        .body()
                        .get("moved")
                        .asInt())
                .isOne();

        JsonNode message = receiveOne(subscription).get("message");
        assertThat(message.get("id")).isEqualTo(dead.get("id"));
        assertThat(message.get("redrives").asInt()).isOne();
        JsonNode shown =
                get("/messages/" + message.get("id").asString()).expect(200).body();
        assertThat(shown.get("deadLetteredAt").isNull()).isTrue();
        assertThat(shown.get("failures")).hasSize(1);
        post("/queues/no-such/redrive", "{}").expect(404, "queue-not-found");
        post("/queues/no-such.dlq/redrive", "{}").expect(404, "queue-not-found");
    }

    @Test
    void deliversNothingOfPausedQueueUntilItResumes() {
        assertThat(post("/queues/" + queue + "/pause", null)
                        .expect(200)
                        .body()
                        .get("paused")
                        .asBoolean())
                .isTrue();
        enqueue(1);
        String subscription = subscribe();
        assertThat(receive(subscription, 1, "200ms")).isEmpty();

        CompletableFuture<Reply> waiting = call("POST", subscription + "/receive", "{\"wait\":\"60s\"}");
        post("/queues/" + queue + "/resume", null).expect(200);

        assertThat(waiting.join().expect(200).list("deliveries")).hasSize(1);
    }
}
