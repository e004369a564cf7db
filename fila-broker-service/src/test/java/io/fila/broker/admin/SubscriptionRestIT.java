package io.fila.broker.admin;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Consuming over HTTP, on a real database. */
class SubscriptionRestIT extends RestBroker {

    /** An answer of a thousand of them used to take a gigabyte of the broker's memory. */
    @Test
    void receivesFewerMessagesWhenTheyAreLarge() {
        String payload = "x".repeat(900_000);
        for (int i = 0; i < 10; i++) {
            enqueue("\"payload\":\"%s\"".formatted(payload));
        }
        String subscription = subscribe(limited("10/1h", ""));
        Set<String> received = new HashSet<>();

        while (received.size() < 10) {
            List<JsonNode> deliveries = receive(subscription, 10);

            assertThat(deliveries).hasSizeBetween(1, 4);
            for (JsonNode delivery : deliveries) {
                // not one has been counted that was not sent: neither as an attempt nor in its bucket
                assertThat(delivery.at("/message/attempt").asInt()).isEqualTo(1);
                received.add(delivery.at("/message/id").asString());
                assertDone(settle(subscription, "ack", delivery, ""));
            }
        }
    }

    /** All five are claimed, are too much for one answer, and go back: that is not nothing. */
    @Test
    void receivesLargeMessagesThatAreThereWithoutWaiting() {
        String payload = "x".repeat(900_000);
        String array = IntStream.range(0, 5)
                .mapToObj(i -> "{\"payload\":\"%s\"}".formatted(payload))
                .collect(Collectors.joining(",", "[", "]"));
        String subscription = subscribe();
        post("/queues/" + queue + "/messages", array).expect(201);

        for (int round = 0; round < 3; round++) {
            List<JsonNode> deliveries = post(subscription + "/receive", "{\"max\":10,\"wait\":\"0s\"}")
                    .expect(200)
                    .list("deliveries");
            assertThat(deliveries).hasSizeBetween(1, 4);
            deliveries.forEach(delivery -> assertDone(settle(subscription, "release", delivery, "")));
        }
    }

    @Test
    void losesLeaseThatExpired() {
        put("/queues/" + queue, "{\"visibilityTimeout\":\"1s\",\"retry\":{\"backoff\":{\"initial\":\"0s\"}}}")
                .expect(200);
        enqueue(1);
        String subscription = subscribe();
        JsonNode expired = receiveOne(subscription);

        JsonNode redelivered = receiveOne(subscription);

        assertThat(redelivered.at("/message/attempt").asInt()).isEqualTo(2);
        for (String verb : List.of("ack", "nack", "extend", "release")) {
            assertLost(settle(subscription, verb, expired, ""));
        }
        assertThat(get("/messages/" + redelivered.at("/message/id").asString()).text("state"))
                .isEqualTo("leased");
    }

    @Test
    void deadLettersAfterLastAttempt() {
        put("/queues/" + queue, "{\"retry\":{\"maxAttempts\":1}}").expect(200);
        String byAttempts = enqueue("\"payload\":1");
        String subscription = subscribe();
        assertDone(settle(subscription, "nack", receiveOne(subscription), ",\"error\":\"one\""));
        put("/queues/" + queue, "{\"retry\":{\"maxAttempts\":9}}").expect(200);
        String byWish = enqueue("\"payload\":2");
        assertDone(settle(subscription, "nack", receiveOne(subscription), ",\"error\":\"two\",\"deadLetter\":true"));

        assertThat(get("/queues/" + queue + ".dlq/messages").expect(200).list("messages"))
                .extracting(message -> message.get("id").asString())
                .containsExactlyInAnyOrder(byAttempts, byWish);
    }

    @Test
    void closesBucketsAndKeepsTheAttempt() {
        enqueue(1);
        String subscription = subscribe(limited("100/1s", ""));
        JsonNode refused = receiveOne(subscription);
        long began = System.nanoTime();
        String more = ",\"error\":\"429\",\"closeBucketsFor\":\"2s\",\"closeBucketsOf\":[\"%s\"]".formatted(throttle);

        assertDone(settle(subscription, "nack", refused, more));

        Reply bucket = get("/throttles/" + throttle + "/bucket").expect(200);
        assertThat(bucket.text("closedUntil")).isNotEmpty().isEqualTo(bucket.text("roomAt"));
        JsonNode again = receiveOne(subscription);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(again.at("/message/attempt").asInt()).isEqualTo(1);
        assertLost(settle(subscription, "nack", refused, ",\"closeBucketsFor\":\"2s\""));
    }

    @Test
    void refusesClosingsThatCannotBe() {
        enqueue(1);
        String subscription = subscribe(limited("100/1s", ""));
        JsonNode delivery = receiveOne(subscription);
        Map<String, String> refused = new LinkedHashMap<>();
        refused.put("\"closeBucketsFor\":\"0s\"", "closeBucketsFor: expected 1ms to 1h");
        refused.put("\"closeBucketsFor\":\"PT-1S\"", "closeBucketsFor: expected 1ms to 1h");
        refused.put("\"closeBucketsFor\":\"61m\"", "closeBucketsFor: expected 1ms to 1h");
        refused.put("\"closeBucketsFor\":20", "closeBucketsFor: expected a string");
        refused.put("\"closeBucketsOf\":[\"x\"]", "closeBucketsOf: expected only with closeBucketsFor");
        refused.put("\"closeBucketsFor\":\"1s\",\"closeBucketsOf\":[]", "closeBucketsOf: expected at least one");
        refused.put("\"closeBucketsFor\":\"1s\",\"closeBucketsOf\":[\"a b\"]", "closeBucketsOf[0]: expected");
        refused.put(
                "\"closeBucketsFor\":\"1s\",\"closeBucketsOf\":[\"nonesuch\"]", "throttle 'nonesuch' does not apply");
        refused.put("\"closeBucketsFor\":\"1s\",\"deadLetter\":true", "closeBucketsFor: expected none with deadLetter");

        refused.forEach((fields, said) -> {
            String body = "{\"leases\":[%s],%s}".formatted(delivery.get("lease"), fields);
            assertThat(post(subscription + "/nack", body)
                            .expect(400, "invalid-request")
                            .text("detail"))
                    .contains(said);
        });

        assertDone(settle(subscription, "ack", delivery, ""));
    }

    @Test
    void settlesLeaseUnderAnySubscriptionOfItsQueue() {
        enqueue(1);
        JsonNode delivery = receiveOne(subscribe());

        assertDone(settle(subscribe(), "ack", delivery, ""));
    }

    @Test
    void forgetsSubscriptionSoonAfterItsTtl() {
        enqueue(2);
        String forgotten = subscribeFor("1s", limited("1/1h", ""));
        long expired = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        String other = subscribe();
        assertThat(receive(other, 10)).hasSize(1);

        assertThat(receive(other, 10, "60s")).hasSize(1);

        // five seconds are promised; two more are the build machine's
        assertThat(Duration.ofNanos(System.nanoTime() - expired)).isLessThan(Duration.ofSeconds(7));
        post(forgotten + "/receive", "{\"max\":0}").expect(404, "subscription-not-found");
        delete(forgotten).expect(404, "subscription-not-found");
    }

    @Test
    void livesOnByEveryCall() {
        String subscription = subscribeFor("3s");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(7);

        await().pollInterval(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(30))
                .until(() -> {
                    post(subscription + "/receive", "{\"max\":0}").expect(200);
                    return System.nanoTime() > end;
                });
    }

    @Test
    void endsWaitWhenQueueIsDeleted() {
        CompletableFuture<Reply> waiting = call("POST", subscribe() + "/receive", "{\"wait\":\"60s\"}");

        delete("/queues/" + queue + "?force=true").expect(204);

        waiting.join().expect(404, "queue-not-found");
    }

    @Test
    void keepsMessageOfClientThatHungUp() throws Exception {
        String hungUp = subscribe();
        String body = "{\"wait\":\"60s\"}";
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String request =
                    "POST /api/v1%s/receive HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                            .formatted(hungUp, body.length(), body);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            post(hungUp + "/receive", "{\"max\":0}").expect(200);
        }
        String subscription = subscribe();
        enqueue(1);

        JsonNode delivery = receiveOne(subscription);

        assertThat(delivery.at("/message/attempt").asInt()).isEqualTo(1);
        assertDone(settle(subscription, "ack", delivery, ""));
    }
}
