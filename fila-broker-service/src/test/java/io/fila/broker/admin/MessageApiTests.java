package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.fila.broker.message.Enqueued;
import io.fila.broker.message.MessageState;
import io.fila.broker.message.MessageView;
import io.fila.broker.message.Messages;
import io.fila.broker.message.NewMessage;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Payload.Kind;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentCaptor;
import org.mockito.Captor;
import org.mockito.MockitoAnnotations;
import org.springframework.test.json.JsonCompareMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

/** Messages over HTTP: what goes to the service, what comes back, and that a payload stays what it was. */
class MessageApiTests extends RestSlice {

    @Captor
    private ArgumentCaptor<List<NewMessage>> stored;

    @BeforeEach
    void storeEverything() {
        MockitoAnnotations.openMocks(this);
        given(messages.enqueue(any(), any(), anyBoolean())).willAnswer(call -> {
            List<NewMessage> given = call.getArgument(1);
            return CompletableFuture.completedFuture(
                    given.stream().map(message -> new Enqueued(MESSAGE, false)).toList());
        });
    }

    @Test
    void enqueuesOneWithEverything() {
        post("/queues/orders/messages", """
                        {"id":"0193A1B2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","payload":"grüße \\u0000 😀",
                         "headers":{"customer":"acme","Customer":""},"fairnessKey":"","weight":1000,
                         "delay":"PT5S"}
                        """)
                .expectStatus()
                .isCreated()
                .expectBody(String.class)
                .isEqualTo("{\"id\":\"%s\",\"duplicate\":false}".formatted(MESSAGE));

        NewMessage message = stored().get(0);
        assertThat(message.id()).isEqualTo(MESSAGE);
        assertThat(message.payload().kind()).isEqualTo(Kind.TEXT);
        assertThat(text(message.payload())).isEqualTo("grüße \u0000 😀");
        assertThat(message.headers()).isEqualTo(Map.of("customer", "acme", "Customer", ""));
        assertThat(message.fairnessKey()).isEmpty();
        assertThat(message.weight()).isEqualTo(1000);
        assertThat(message.delay()).isEqualTo(Duration.ofSeconds(5));
        assertThat(message.notBefore()).isNull();
    }

    @Test
    void takesNullForAbsentExceptAsPayload() {
        post("/queues/orders/messages", """
                        {"payload":null,"payloadBase64":null,"headers":null,"fairnessKey":null,"weight":null,
                         "id":null,"delay":null,"notBefore":"2030-01-31T13:00:00+01:00"}
                        """).expectStatus().isCreated();

        NewMessage message = stored().get(0);
        assertThat(message.payload().kind()).isEqualTo(Kind.JSON);
        assertThat(text(message.payload())).isEqualTo("null");
        assertThat(message.headers()).isEmpty();
        assertThat(message.fairnessKey()).isNull();
        assertThat(message.weight()).isEqualTo(1);
        assertThat(message.notBefore()).isEqualTo(NOON);
    }

    @Test
    void answersArrayWithArrayInOrder() {
        UUID second = UUID.randomUUID();
        willReturn(CompletableFuture.completedFuture(List.of(new Enqueued(MESSAGE, true), new Enqueued(second, false))))
                .given(messages)
                .enqueue(eq(ORDERS), any(), eq(true));

        post("/queues/orders/messages", "[{\"payload\":1},{\"payloadBase64\":\"AP8=\"}]")
                .expectStatus()
                .isCreated()
                .expectBody(String.class)
                .isEqualTo("[{\"id\":\"%s\",\"duplicate\":true},{\"id\":\"%s\",\"duplicate\":false}]"
                        .formatted(MESSAGE, second));

        assertThat(stored().get(1).payload().kind()).isEqualTo(Kind.BYTES);
        assertThat(stored().get(1).payload().bytes()).containsExactly(0, 255);
    }

    @Test
    void answers200WhenAllWereDuplicates() {
        willReturn(CompletableFuture.completedFuture(List.of(new Enqueued(MESSAGE, true))))
                .given(messages)
                .enqueue(eq(ORDERS), any(), eq(true));

        post("/queues/orders/messages", "[{\"payload\":1}]")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$[0].duplicate")
                .isEqualTo(true);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "1.0",
                "1E400",
                "-1.50e-3",
                "123456789012345678901234567890.123456789012345678901234567890",
                "true",
                "null",
                "[]",
                "{}",
                "[ 1 , [ 2.00 ] ,\n {\"z\":1, \"a\" : \"\\u00e9é😀\\/\" , \"z\":2}, \"\\ud800\", \"\"]",
                "{\"payload\":{\"payload\":\"}]\"}}"
            })
    void keepsJsonAsItIsWritten(String json) {
        post("/queues/orders/messages", "[{\"payload\": " + json + " ,\"weight\":2},{\"payload\":" + json + "}]")
                .expectStatus()
                .isCreated();

        assertThat(stored()).allSatisfy(message -> {
            assertThat(message.payload().kind()).isEqualTo(Kind.JSON);
            assertThat(text(message.payload())).isEqualTo(json);
        });
        assertThat(shown(new Payload(json.getBytes(StandardCharsets.UTF_8), Kind.JSON)))
                .contains("\"payload\":" + json + ",")
                .doesNotContain("payloadBase64");
    }

    @Test
    void keepsNumberOfAnyLength() {
        String digits = "7".repeat(100_000);

        post("/queues/orders/messages", "{\"payload\":" + digits + "}")
                .expectStatus()
                .isCreated();

        assertThat(text(stored().get(0).payload())).isEqualTo(digits);
        assertThat(shown(stored().get(0).payload())).contains("\"payload\":" + digits + ",");
    }

    static Stream<Payload> notWhatTheyClaim() {
        return Stream.of(
                new Payload(new byte[] {(byte) 0xff, 'a'}, Kind.TEXT),
                new Payload(new byte[] {'"', (byte) 0xff, '"'}, Kind.JSON),
                new Payload("{\"a\":".getBytes(StandardCharsets.UTF_8), Kind.JSON),
                new Payload("1 2".getBytes(StandardCharsets.UTF_8), Kind.JSON),
                new Payload("1,\"x\":2".getBytes(StandardCharsets.UTF_8), Kind.JSON),
                new Payload("".getBytes(StandardCharsets.UTF_8), Kind.JSON),
                new Payload("{\"a\":1}".getBytes(StandardCharsets.UTF_16BE), Kind.JSON),
                new Payload(("[".repeat(300) + "]".repeat(300)).getBytes(StandardCharsets.UTF_8), Kind.JSON),
                new Payload(new byte[] {0, 1}, Kind.BYTES));
    }

    @ParameterizedTest
    @MethodSource("notWhatTheyClaim")
    void showsWhatIsNotTextOrJsonAsBase64(Payload payload) {
        assertThat(shown(payload))
                .contains(
                        "\"payloadBase64\":\"%s\"".formatted(Base64.getEncoder().encodeToString(payload.bytes())))
                .doesNotContain("\"payload\":");
    }

    @Test
    void showsMessage() {
        given(messages.get(MESSAGE))
                .willReturn(view(new Payload("hi \"you\"".getBytes(StandardCharsets.UTF_8), Kind.TEXT)));

        http.get()
                .uri("/messages/" + MESSAGE)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .json("""
                        {"id":"0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b","queue":"orders","state":"delayed",
                         "payload":"hi \\"you\\"","headers":{"customer":"acme"},"fairnessKey":null,"weight":1,
                         "attributes":{},"attempts":2,"redrives":0,"enqueuedAt":"2030-01-31T12:00:00Z",
                         "notBefore":"2030-01-31T12:01:00Z","leaseExpiresAt":null,"deadLetteredAt":"2030-01-31T12:00:00Z",
                         "failures":[{"attempt":1,"reason":"nack","error":"boom","consumer":"billing-1",
                                      "at":"2030-01-31T12:00:00Z"}]}
                        """, JsonCompareMode.STRICT);
    }

    @Test
    void listsPages() {
        MessageView message = view(new Payload(new byte[] {1}, Kind.BYTES));
        given(messages.list(ORDERS, MessageState.DELAYED, 2, "c1"))
                .willReturn(new Messages.Page(List.of(message, message), "c2"));
        given(messages.list(ORDERS, null, 50, null)).willReturn(new Messages.Page(List.of(), null));

        http.get()
                .uri("/queues/orders/messages?state=delayed&limit=2&after=c1")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.messages.length()")
                .isEqualTo(2)
                .jsonPath("$.messages[1].payloadBase64")
                .isEqualTo("AQ==")
                .jsonPath("$.next")
                .isEqualTo("c2");
        http.get()
                .uri("/queues/orders/messages")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"messages\":[],\"next\":null}");
    }

    @Test
    void cancels() {
        http.delete().uri("/messages/" + MESSAGE).exchange().expectStatus().isNoContent();
        verify(messages).cancel(MESSAGE, null);
        http.delete()
                .uri("/messages/" + MESSAGE + "?queue=orders")
                .exchange()
                .expectStatus()
                .isNoContent();
        verify(messages).cancel(MESSAGE, ORDERS);

        willThrow(new ProblemException(ProblemCode.MESSAGE_LEASED, "in flight"))
                .given(messages)
                .cancel(MESSAGE, null);
        http.delete().uri("/messages/" + MESSAGE).exchange().expectStatus().isEqualTo(409);
    }

    private List<NewMessage> stored() {
        verify(messages).enqueue(eq(ORDERS), stored.capture(), anyBoolean());
        return stored.getValue();
    }

    private String shown(Payload payload) {
        given(messages.get(MESSAGE)).willReturn(view(payload));
        byte[] body = http.get()
                .uri("/messages/" + MESSAGE)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .returnResult()
                .getResponseBodyContent();
        return new String(body, StandardCharsets.UTF_8);
    }

    private static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    private static MessageView view(Payload payload) {
        Instant later = NOON.plusSeconds(60);
        return new MessageView(
                MESSAGE,
                ORDERS,
                MessageState.DELAYED,
                payload,
                Map.of("customer", "acme"),
                null,
                1,
                Map.of(),
                2,
                0,
                NOON,
                later,
                null,
                NOON,
                List.of(new MessageView.Failure(1, "nack", "boom", "billing-1", NOON)));
    }
}
