package io.fila.broker.admin;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** A message on its way through the whole API. */
class RestApiIT extends RestBroker {

    @Test
    void carriesMessageThroughItsWholeLife() {
        String id = enqueue("\"payload\":{\"n\":1.00},\"headers\":{\"customer\":\"acme\"},\"fairnessKey\":\"t1\"");
        String subscription = subscribe();

        JsonNode first = receiveOne(subscription);
        assertThat(first.at("/message/id").asString()).isEqualTo(id);
        assertThat(first.at("/message/queue").asString()).isEqualTo(queue);
        assertThat(first.at("/message/headers/customer").asString()).isEqualTo("acme");
        assertThat(first.at("/message/fairnessKey").asString()).isEqualTo("t1");
        assertThat(first.at("/message/attempt").asInt()).isEqualTo(1);
        assertThat(get("/messages/" + id).expect(200).text("state")).isEqualTo("leased");
        Instant before = Instant.parse(first.get("leaseExpiresAt").asString());

        assertDone(settle(subscription, "extend", first, ",\"by\":\"10m\""));
        assertThat(Instant.parse(get("/messages/" + id).text("leaseExpiresAt"))).isAfter(before);

        assertDone(settle(subscription, "release", first, ""));
        JsonNode again = receiveOne(subscription);
        assertThat(again.at("/message/attempt").asInt()).isEqualTo(1);
        assertLost(settle(subscription, "ack", first, ""));

        assertDone(settle(subscription, "nack", again, ",\"error\":\"boom\",\"retryAfter\":\"0s\""));
        JsonNode retried = receiveOne(subscription);
        assertThat(retried.at("/message/attempt").asInt()).isEqualTo(2);
        JsonNode failure = get("/messages/" + id).expect(200).list("failures").get(0);
        assertThat(failure.get("error").asString()).isEqualTo("boom");
        assertThat(failure.get("consumer").asString()).isEqualTo("test");

        assertDone(settle(subscription, "ack", retried, ""));
        assertLost(settle(subscription, "ack", retried, ""));
        get("/messages/" + id).expect(404, "message-not-found");
        delete(subscription).expect(204);
        post(subscription + "/receive", "{}").expect(404, "subscription-not-found");
        delete("/queues/" + queue).expect(204);
        get("/queues/" + queue).expect(404, "queue-not-found");
        post("/queues/" + queue + "/messages", "{\"payload\":1}").expect(404, "queue-not-found");
    }
}
