package io.fila.broker.admin;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages over HTTP, on a real database. */
class MessageRestIT extends RestBroker {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"payload\":\"grüße \\u0000 😀\" | \"payload\":\"grüße \\u0000 😀\"",
                "\"payload\":null | \"payload\":null",
                "\"payload\":[1.00,1E400,-0,12345678901234567890123] | \"payload\":[1.00,1E400,-0,12345678901234567890123]",
                "\"payload\":{ \"z\":1, \"a\":{\"é\":[]}} | \"payload\":{ \"z\":1, \"a\":{\"é\":[]}}",
                "\"payloadBase64\":\"AP8=\" | \"payloadBase64\":\"AP8=\""
            })
    void keepsPayload(String given, String shown) {
        String id = enqueue(given);

        assertThat(get("/messages/" + id).expect(200).response().body()).contains("," + shown + ",");
        assertThat(get("/queues/" + queue + "/messages").expect(200).response().body())
                .contains("," + shown + ",");
        assertThat(post(subscribe() + "/receive", "{\"wait\":\"30s\"}")
                        .expect(200)
                        .response()
                        .body())
                .contains("," + shown + ",");
    }

    @Test
    void namesTheIndexInAnArrayHoweverShort() {
        String path = "/queues/" + queue + "/messages";
        String message = "{\"payload\":1,\"delay\":\"366d\"}";

        assertThat(post(path, message).expect(400, "invalid-request").text("detail"))
                .startsWith("delay: expected");
        assertThat(post(path, "[" + message + "]")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .startsWith("messages[0].delay: expected");
        assertThat(post(path, "[{\"payload\":1}," + message + "]")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .startsWith("messages[1].delay: expected");
    }

    @Test
    void storesMessageOnceHoweverOftenItIsSent() {
        String message = "{\"id\":\"%s\",\"payload\":1}".formatted(UUID.randomUUID());
        String path = "/queues/" + queue + "/messages";

        assertThat(post(path, message).expect(201).body().get("duplicate").asBoolean())
                .isFalse();
        assertThat(post(path, message).expect(200).body().get("duplicate").asBoolean())
                .isTrue();
        JsonNode both = post(path, "[%s,{\"payload\":2}]".formatted(message))
                .expect(201)
                .body();
        assertThat(both.get(0).get("duplicate").asBoolean()).isTrue();
        assertThat(both.get(1).get("duplicate").asBoolean()).isFalse();
    }

    @Test
    void listsInOrderPageByPage() {
        enqueue(5);
        String path = "/queues/" + queue + "/messages?state=ready&limit=2";

        Reply first = get(path).expect(200);
        Reply second = get(path + "&after=" + first.text("next")).expect(200);
        Reply third = get(path + "&after=" + second.text("next")).expect(200);

        assertThat(List.of(first, second, third))
                .extracting(page -> page.list("messages").size())
                .containsExactly(2, 2, 1);
        get(path + "&after=no-such").expect(400, "invalid-request");
        get("/queues/" + queue + "/messages?state=throttled").expect(400, "invalid-request");
    }

    /** A page of a thousand of them used to take a gigabyte of the broker's memory. */
    @Test
    void endsAPageOfLargeMessagesEarly() {
        String mebibyte = "x".repeat(1 << 20);
        for (int i = 0; i < 6; i++) {
            enqueue("\"payload\":\"%s\"".formatted(mebibyte));
        }
        enqueue(1);
        String path = "/queues/" + queue + "/messages?limit=7";

        Reply first = get(path).expect(200);
        Reply second = get(path + "&after=" + first.text("next")).expect(200);

        assertThat(first.list("messages")).hasSize(4);
        assertThat(second.list("messages")).hasSize(3);
        assertThat(second.body().get("next").isNull()).isTrue();
    }

    /** It used to walk through the whole queue for a state that few messages are in. */
    @Test
    void looksAtSoManyMessagesForAPageHoweverFewAreOfTheState() {
        String many = "{\"payload\":1},".repeat(10_000);
        post("/queues/" + queue + "/messages", "[" + many.substring(0, many.length() - 1) + "]")
                .expect(201);
        String delayed = enqueue("\"payload\":1,\"delay\":\"1h\"");
        String path = "/queues/" + queue + "/messages?state=delayed";

        Reply first = get(path).expect(200);
        assertThat(first.list("messages")).isEmpty();
        Reply second = get(path + "&after=" + first.text("next")).expect(200);

        assertThat(second.list("messages"))
                .extracting(message -> message.get("id").asString())
                .containsExactly(delayed);
        assertThat(second.body().get("next").isNull()).isTrue();
    }

    /** A moment before 1970 was refused here, and taken over gRPC. */
    @Test
    void takesTheMomentsThatTheOtherWayInTakes() {
        String overdue = enqueue("\"payload\":1,\"notBefore\":\"1969-07-20T20:17:40Z\"");
        assertThat(get("/messages/" + overdue).expect(200).text("state")).isEqualTo("ready");

        String path = "/queues/" + queue + "/messages";
        assertThat(post(path, "{\"payload\":1,\"notBefore\":\"0000-12-31T23:59:59Z\"}")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .startsWith("notBefore: expected 0001-01-01T00:00:00Z or later");
        assertThat(post(path, "{\"payload\":1,\"delay\":\"1s\",\"notBefore\":\"2030-01-01T00:00:00Z\"}")
                        .expect(400, "invalid-request")
                        .text("detail"))
                .startsWith("delay: expected at most one of delay and notBefore");
    }

    @Test
    void cancelsWhatIsNotInFlight() {
        String delayed = enqueue("\"payload\":1,\"delay\":\"1h\"");
        assertThat(get("/messages/" + delayed).expect(200).text("state")).isEqualTo("delayed");
        delete("/messages/" + delayed).expect(204);
        delete("/messages/" + delayed).expect(404, "message-not-found");

        String leased = enqueue("\"payload\":2");
        receiveOne(subscribe());
        delete("/messages/" + leased).expect(409, "message-leased");
    }

    /** Ids are unique in a queue only; the message was cancelled in every queue, whoever had sent it. */
    @Test
    void cancelsInOneQueueOnly() {
        String id = UUID.randomUUID().toString();
        String message = "{\"id\":\"%s\",\"payload\":1}".formatted(id);
        String other = "other-" + queue;
        put("/queues/" + other, "{}").expect(201);
        post("/queues/" + queue + "/messages", message).expect(201);
        post("/queues/" + other + "/messages", message).expect(201);

        assertThat(delete("/messages/" + id).expect(409, "message-ambiguous").text("detail"))
                .contains("'" + queue + "'", "'" + other + "'");
        delete("/messages/" + id + "?queue=" + queue).expect(204);
        delete("/messages/" + id + "?queue=" + queue).expect(404, "message-not-found");
        delete("/messages/" + id + "?queue=no-such").expect(404, "queue-not-found");

        assertThat(get("/messages/" + id).expect(200).text("queue")).isEqualTo(other);
        delete("/messages/" + id).expect(204);
    }

    @Test
    void refusesWhatIsTooMuch() {
        String path = "/queues/" + queue + "/messages";
        String mebibyte = "x".repeat(1 << 20);

        post(path, "{\"payload\":\"%s\"}".formatted(mebibyte)).expect(201);
        assertThat(post(path, "[{\"payload\":1},{\"payload\":\"%sx\"}]".formatted(mebibyte))
                        .expect(413, "payload-too-large")
                        .text("detail"))
                .contains("messages[1].payload", "1048576", "1048577");
        String many = "{\"payload\":1},".repeat(10_000);
        post(path, "[" + many + "{\"payload\":1}]").expect(400, "invalid-request");
        post(path, "[" + many.substring(0, many.length() - 1) + "]").expect(201);
        String large = "{\"payload\":\"%s\"},".formatted(mebibyte).repeat(33);
        post(path, "[" + large.substring(0, large.length() - 1) + "]").expect(413, "payload-too-large");
        post(path, "{\"payload\":\"%s\"}".formatted("x".repeat(49 << 20))).expect(413, "payload-too-large");
        post(path, "[{\"payload\":1},{\"payload\":1,\"delay\":\"366d\"}]").expect(400, "invalid-request");
    }

    @Test
    void pushesBackWhenBacklogIsFull() {
        put("/queues/" + queue, "{\"maxBacklog\":2}").expect(200);
        enqueue(2);

        Reply refused =
                post("/queues/" + queue + "/messages", "{\"payload\":1}").expect(429, "queue-full");

        assertThat(refused.response().headers().firstValue("Retry-After")).isPresent();
    }
}
