package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Payload;
import io.fila.broker.message.Payload.Kind;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.subscription.HttpSubscription;
import io.fila.broker.subscription.PendingReceive;
import io.fila.broker.subscription.SettleResult;
import io.fila.broker.throttle.KeyComponent;
import io.fila.broker.throttle.Limit;
import io.fila.broker.throttle.MissingKey;
import io.fila.broker.throttle.ThrottleDeclaration;
import org.junit.jupiter.api.Test;
import org.springframework.test.json.JsonCompareMode;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

/** Consuming over HTTP: what goes to the service and what comes back. */
class SubscriptionApiTests extends RestSlice {

    private static final String ON = "/subscriptions/" + SUBSCRIPTION;

    /** Answers, or fails, as soon as it is asked. */
    record Answered(List<Delivery> deliveries, Throwable failure) implements PendingReceive {

        @Override
        public void onAnswer(Consumer<List<Delivery>> writer) {
            if (failure == null) {
                writer.accept(deliveries);
            }
        }

        @Override
        public void onFailure(Consumer<Throwable> consumer) {
            if (failure != null) {
                consumer.accept(failure);
            }
        }

        @Override
        public void cancel() {}
    }

    @Test
    void subscribesWithThrottles() {
        List<ThrottleDeclaration> throttles = List.of(
                new ThrottleDeclaration(
                        "stripe",
                        List.of(Limit.parse("", "60/1m"), Limit.parse("", "20/1s")),
                        List.of(new KeyComponent.Header("customer"), new KeyComponent.FairnessKey()),
                        MissingKey.UNTHROTTLED),
                new ThrottleDeclaration("all", List.of(Limit.parse("", "1/1d")), List.of(), MissingKey.SHARED_BUCKET));
        given(subscriptions.open(ORDERS, "billing-1", Duration.ofMinutes(2), throttles))
                .willReturn(CompletableFuture.completedFuture(new HttpSubscription(SUBSCRIPTION, ORDERS, NOON)));

        post("/queues/orders/subscriptions", """
                        {"consumer":"billing-1","ttl":"2m","throttles":[
                          {"name":"stripe","limits":["60/1m","20/1s"],"key":["header:customer","fairnessKey"],
                           "whenKeyMissing":"unthrottled"},
                          {"name":"all","limits":["1/P1D"]}]}
                        """)
                .expectStatus()
                .isCreated()
                .expectBody(String.class)
                .isEqualTo("{\"id\":\"%s\",\"queue\":\"orders\",\"expiresAt\":\"2030-01-31T12:00:00Z\"}"
                        .formatted(SUBSCRIPTION));
    }

    @Test
    void subscribesForMinuteAndWithoutThrottlesByDefault() {
        given(subscriptions.open(ORDERS, "c", Duration.ofSeconds(60), List.of()))
                .willReturn(CompletableFuture.completedFuture(new HttpSubscription(SUBSCRIPTION, ORDERS, NOON)));

        post("/queues/orders/subscriptions", "{\"consumer\":\"c\"}")
                .expectStatus()
                .isCreated();
    }

    @Test
    void unsubscribes() {
        http.delete().uri(ON).exchange().expectStatus().isNoContent();
        verify(subscriptions).close(SUBSCRIPTION);

        UUID unknown = UUID.randomUUID();
        willThrow(new ProblemException(ProblemCode.SUBSCRIPTION_NOT_FOUND, "there is none"))
                .given(subscriptions)
                .close(unknown);
        http.delete().uri("/subscriptions/" + unknown).exchange().expectStatus().isNotFound();
    }

    @Test
    void receivesDeliveries() {
        given(subscriptions.receive(SUBSCRIPTION, 10, Duration.ofSeconds(20)))
                .willReturn(new Answered(
                        List.of(
                                delivery(new Payload("{\"n\":1.00}".getBytes(StandardCharsets.UTF_8), Kind.JSON)),
                                delivery(new Payload(new byte[] {7}, Kind.BYTES))),
                        null));

        post(ON + "/receive", "{\"max\":10,\"wait\":\"20s\"}")
                .expectStatus()
                .isOk()
                .expectBody()
                .json("""
                        {"deliveries":[
                          {"lease":"%1$s","leaseExpiresAt":"2030-01-31T12:00:00Z","message":{
                            "id":"%2$s","queue":"orders","payload":{"n":1.00},"headers":{"customer":"acme"},
                            "fairnessKey":null,"attributes":{},"attempt":1,"redrives":0,
                            "enqueuedAt":"2030-01-31T11:59:00Z"}},
                          {"lease":"%1$s","leaseExpiresAt":"2030-01-31T12:00:00Z","message":{
                            "id":"%2$s","queue":"orders","payloadBase64":"Bw==","headers":{"customer":"acme"},
                            "fairnessKey":null,"attributes":{},"attempt":1,"redrives":0,
                            "enqueuedAt":"2030-01-31T11:59:00Z"}}]}
                        """.formatted(lease(7), MESSAGE), JsonCompareMode.STRICT);
    }

    @Test
    void receivesOneAtOnceByDefault() {
        given(subscriptions.receive(SUBSCRIPTION, 1, Duration.ZERO)).willReturn(new Answered(List.of(), null));

        http.post()
                .uri(ON + "/receive")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"deliveries\":[]}");
        post(ON + "/receive", "{}").expectStatus().isOk();
    }

    @Test
    void renewsByReceivingNothing() {
        given(subscriptions.receive(SUBSCRIPTION, 0, Duration.ZERO)).willReturn(new Answered(List.of(), null));

        post(ON + "/receive", "{\"max\":0}").expectStatus().isOk();
    }

    @Test
    void answersWithWhatEndsTheWait() {
        given(subscriptions.receive(any(), anyInt(), any()))
                .willReturn(new Answered(
                        List.of(), new ProblemException(ProblemCode.QUEUE_NOT_FOUND, "queue: 'orders' was deleted")));

        post(ON + "/receive", "{\"wait\":\"20s\"}")
                .expectStatus()
                .isNotFound()
                .expectBody()
                .jsonPath("$.code")
                .isEqualTo("queue-not-found");
    }

    @Test
    void settlesEachLeaseOnce() {
        given(subscriptions.settle(SUBSCRIPTION, List.of(new Settlement.Ack(lease(1)), new Settlement.Ack(lease(2)))))
                .willReturn(CompletableFuture.completedFuture(new SettleResult(List.of(lease(1)), List.of(lease(2)))));

        post(ON + "/ack", "{\"leases\":[\"%1$s\",\"%2$s\",\"%1$s\"]}".formatted(lease(1), lease(2)))
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("{\"done\":[\"%s\"],\"lost\":[\"%s\"]}".formatted(lease(1), lease(2)));
    }

    @Test
    void passesOnWhatIsSaidOfLeases() {
        given(subscriptions.settle(any(), any()))
                .willReturn(CompletableFuture.completedFuture(new SettleResult(List.of(), List.of(lease(1)))));

        settle("nack", ",\"error\":\"boom\",\"retryAfter\":\"10s\"");
        settle("nack", ",\"deadLetter\":true");
        settle("nack", "");
        settle("nack", ",\"error\":\"429\",\"closeBucketsFor\":\"20s\"");
        settle("nack", ",\"retryAfter\":\"1s\",\"closeBucketsFor\":\"20s\",\"closeBucketsOf\":[\"a\",\"b\"]");
        settle("extend", ",\"by\":\"30s\"");
        settle("extend", "");
        settle("release", "");

        verifySettled(new Settlement.Nack(lease(1), "boom", Duration.ofSeconds(10), false));
        verifySettled(new Settlement.Nack(lease(1), "", null, true));
        verifySettled(new Settlement.Nack(lease(1), "", null, false));
        verifySettled(new Settlement.Refused(lease(1), "429", null, Duration.ofSeconds(20), List.of()));
        verifySettled(
                new Settlement.Refused(lease(1), "", Duration.ofSeconds(1), Duration.ofSeconds(20), List.of("a", "b")));
        verifySettled(new Settlement.Extend(lease(1), Duration.ofSeconds(30)));
        verifySettled(new Settlement.Extend(lease(1), null));
        verifySettled(new Settlement.Release(lease(1)));
    }

    private void settle(String verb, String rest) {
        post(ON + "/" + verb, "{\"leases\":[\"%s\"]%s}".formatted(lease(1), rest))
                .expectStatus()
                .isOk();
    }

    private void verifySettled(Settlement settlement) {
        verify(subscriptions).settle(SUBSCRIPTION, List.of(settlement));
    }
}
