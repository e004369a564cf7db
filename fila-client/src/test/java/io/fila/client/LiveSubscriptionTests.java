package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.fila.protocol.v1.Subscription;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.fila.client.Problems.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

class LiveSubscriptionTests {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final FakeBroker broker = FakeBroker.start();
    private final FilaClient client = broker.client().build();
    private RecordingListener listener = new RecordingListener();
    private FilaSubscription subscription;
    private FakeStream stream;

    @BeforeEach
    void subscribe() {
        ThrottleSpec throttle = ThrottleSpec.of("stripe", "60/1m", "20/1s").keyedBy("header:customer");
        subscription = client.subscribe(new SubscriptionSpec("orders", "billing-1", List.of(throttle)), listener);
        stream = broker.nextStream();
    }

    @AfterEach
    void close() {
        broker.answerEverything();
        client.close();
        broker.close();
    }

    @Test
    void opensWithItsDeclarationsAndAsksForNothingBeforeItWasAccepted() {
        subscription.request(5);
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.CONNECTING);
        await().until(() -> !stream.frames.isEmpty());
        Subscription open = stream.frames.get(0).getOpen();
        assertThat(open.getQueue()).isEqualTo("orders");
        assertThat(open.getConsumer()).isEqualTo("billing-1");
        assertThat(open.getThrottles(0).getLimitsList()).containsExactly("60/1m", "20/1s");
        assertThat(open.getThrottles(0).getKeyList()).containsExactly("header:customer");
        assertThat(stream.frames.get(0).getCredit()).isZero();

        stream.accept();
        stream.awaitCredit(5);
        assertThat(stream.frames).hasSize(2);
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.ACTIVE);
        await().untilAtomic(listener.acceptances, equalTo(1));
    }

    @Test
    void refusesToAskForLessThanNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> subscription.request(-1))
                .withMessageContaining("-1");
    }

    @Test
    void handsOverDeliveriesInOrder() {
        start(3);
        stream.deliver("a", "b");
        stream.deliver("c");
        listener.awaitDelivery(2);
        assertThat(listener.texts()).containsExactly("a", "b", "c");
        assertThat(listener.deliveries.get(0).message().queue()).isEqualTo("orders");
        assertThat(listener.deliveries.get(0).message().fairnessKey()).isNull();
    }

    @Test
    void releasesWhatWasNotAskedFor() {
        start(2);
        stream.deliver("a", "b", "c");
        stream.awaitReleased("lease-c");
        assertThat(listener.texts()).containsExactly("a", "b");
    }

    @Test
    void asksAgainForUnusedCreditAfterReconnect() {
        start(5);
        stream.deliver("a", "b");
        listener.awaitDelivery(1);
        subscription.request(1);
        stream.awaitCredit(6);
        stream.breakDown();

        FakeStream next = broker.nextStream().accept();
        next.awaitCredit(4);
        next.deliver("c", "d", "e", "f", "g");
        next.awaitReleased("lease-g");
        assertThat(listener.texts()).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(listener.acceptances).hasValue(2);
    }

    @Test
    void tellsOfAnOutageOnceHoweverManyTriesItTakes() {
        start(1);
        stream.breakDown();
        for (int i = 0; i < 5; i++) {
            broker.nextStream().breakDown();
        }
        broker.nextStream().accept();
        await().untilAtomic(listener.acceptances, equalTo(2));
        assertThat(listener.interruptions).hasSize(1);
        assertThat(listener.interruptions.get(0).code()).isEqualTo("broker-unreachable");
        assertThat(listener.interruptions.get(0)).hasMessageContainingAll("'orders'", "fake-broker:7433");
    }

    @Test
    void backsOffFurtherWithEachTryAndStartsAgainOnceAccepted() {
        List<String> calls = new CopyOnWriteArrayList<>();
        Backoff recording = new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 1) {
            @Override
            Duration next() {
                calls.add("next");
                return super.next();
            }

            @Override
            void reset() {
                calls.add("reset");
                super.reset();
            }
        };
        try (FilaClient own = broker.client().backoff(() -> recording).build()) {
            own.subscribe(new SubscriptionSpec("orders", "x", List.of()), new RecordingListener());
            broker.nextStream().breakDown();
            broker.nextStream().breakDown();
            broker.nextStream().accept();
            await().until(() -> calls, List.of("next", "next", "reset")::equals);
        }
    }

    @Test
    void triesAgainWhenTheBrokerDoesNotAnswerTheSubscription() {
        try (FilaClient hasty =
                broker.client().requestTimeout(Duration.ofSeconds(1)).build()) {
            RecordingListener waiting = new RecordingListener();
            hasty.subscribe(new SubscriptionSpec("orders", "x", List.of()), waiting);
            FakeStream silent = broker.nextStream();
            broker.nextStream().accept();
            await().untilAtomic(waiting.acceptances, equalTo(1));
            await().until(() -> silent.cancelled);
            assertThat(waiting.interruptions).extracting(FilaException::code).containsExactly("broker-unreachable");
        }
    }

    @Test
    void reconnectsToABrokerThatWasAwayAltogether() {
        start(1);
        broker.stop();
        await().until(() -> !listener.interruptions.isEmpty());
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.CONNECTING);
        broker.restart();
        broker.nextStream().accept().awaitCredit(1);
        assertThat(listener.interruptions).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue-not-found",
                "throttle-conflict",
                "limit-never-binds",
                "invalid-request",
                "unauthenticated",
                "forbidden",
                "reserved-name"
            })
    void isClosedByARefusalAndNotTriedAgain(String code) {
        stream.refuse(Status.Code.FAILED_PRECONDITION, code, "throttle 'stripe' is declared otherwise");
        await().until(() -> !listener.refusals.isEmpty());
        assertThat(listener.refusals.get(0).code()).isEqualTo(code);
        assertThat(listener.refusals.get(0)).hasMessageContaining("throttle 'stripe' is declared otherwise");
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.CLOSED);
        assertThat(listener.interruptions).isEmpty();
        // a later subscription gets the next stream: the refused one has not asked for it
        FilaSubscription later =
                client.subscribe(new SubscriptionSpec("later", "x", List.of()), new RecordingListener());
        FakeStream next = broker.nextStream();
        await().until(() -> !next.frames.isEmpty());
        assertThat(next.frames.get(0).getOpen().getQueue()).isEqualTo("later");
        later.close();
    }

    @Test
    void triesAgainAfterAnAnswerThatMayChange() {
        stream.refuse(Status.Code.UNAVAILABLE, "storage-unavailable", "the database is away");
        broker.nextStream().accept();
        await().untilAtomic(listener.acceptances, equalTo(1));
        assertThat(listener.refusals).isEmpty();
        assertThat(listener.interruptions).extracting(FilaException::code).containsExactly("storage-unavailable");
    }

    @Test
    void isClosedWhenItsQueueIsDeletedWhileItRuns() {
        start(1);
        stream.deliver("a");
        CompletableFuture<Boolean> ack = listener.awaitDelivery(0).ack();
        stream.awaitAcked("lease-a");
        stream.refuse(Status.Code.NOT_FOUND, "queue-not-found", "queue 'orders' was deleted");
        await().until(() -> subscription.state() == FilaSubscription.State.CLOSED);
        assertThat(ack).failsWithin(SOON).withThrowableThat().withMessageContaining("was deleted");
        await().until(() -> listener.refusals.size() == 1);
        assertThat(problem(listener.awaitDelivery(0).ack()).code()).isEqualTo("client-closed");
    }

    @Test
    void survivesAListenerThatThrows() {
        client.subscribe(new SubscriptionSpec("fragile", "x", List.of()), new RecordingListener() {
                    @Override
                    public void onAccepted() {
                        throw new IllegalStateException("on acceptance");
                    }

                    @Override
                    public void onDelivery(Delivery delivery) {
                        if (delivery.message().id().equals("bad")) {
                            throw new IllegalStateException("on delivery");
                        }
                        delivery.ack();
                    }
                })
                .request(3);
        FakeStream fragile = broker.nextStream().accept();
        fragile.awaitCredit(3);
        fragile.deliver("a", "bad", "b");
        await().until(fragile::acked, List.of("lease-a", "lease-b")::equals);
        fragile.awaitReleased("lease-bad");
        assertThat(fragile.cancelled).isFalse();
    }

    @Test
    void callsTheListenerByOneThreadAtATimeAlsoAcrossAReconnect() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        RecordingListener slow = new RecordingListener() {
            @Override
            public void onDelivery(Delivery delivery) {
                handling.countDown();
                assertThat(finish).satisfies(CountDownLatch::await);
                super.onDelivery(delivery);
            }
        };
        client.subscribe(new SubscriptionSpec("slow", "x", List.of()), slow).request(2);
        FakeStream first = broker.nextStream().accept();
        first.awaitCredit(2);
        first.deliver("a");
        assertThat(handling).satisfies(CountDownLatch::await);
        first.breakDown();
        finish.countDown();
        broker.nextStream().accept();
        await().untilAtomic(slow.acceptances, equalTo(2));
        assertThat(slow.texts()).containsExactly("a");
        assertThat(slow.interruptions).hasSize(1);
    }

    private void start(int credit) {
        stream.accept();
        subscription.request(credit);
        stream.awaitCredit(credit);
    }
}
