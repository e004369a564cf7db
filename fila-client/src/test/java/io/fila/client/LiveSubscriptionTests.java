package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.fila.protocol.v1.Subscription;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class LiveSubscriptionTests {

    private final FakeBroker broker = FakeBroker.start();
    private final FilaClient client = broker.client().build();
    private final RecordingListener listener = new RecordingListener();
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
        assertThat(listener.acceptances).hasValue(1);
    }

    @Test
    void handsOverDeliveriesInOrderAndConfirmsTheAck() {
        stream.accept();
        subscription.request(2);
        stream.awaitCredit(2);
        stream.deliver("a", "b");
        CompletableFuture<Boolean> acked = listener.awaitDelivery(1).ack();
        assertThat(listener.texts()).containsExactly("a", "b");
        stream.awaitAcked("lease-b");
        assertThat(acked).isNotDone();
        stream.settleLast();
        assertThat(acked).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
    }
}
