package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Draining and closing. */
class SubscriptionEndTests {

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
    void drainCompletesWhenTheBrokerConfirmsAndStillHandsOverWhatWasUnderWay() {
        stream.answersDrain = false;
        start(3);
        stream.deliver("a");
        CompletableFuture<Void> drained = subscription.drain();
        stream.awaitDrainAsked();
        stream.deliver("b");
        listener.awaitDelivery(1);
        assertThat(drained).isNotDone();
        subscription.request(2);
        stream.drained();
        assertThat(drained).succeedsWithin(SOON);
        // only what was asked for after the drain
        stream.awaitCredit(3 + 2);
        stream.deliver("c", "d", "e");
        stream.awaitReleased("lease-e");
        assertThat(listener.texts()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void drainCompletesWhenTheConnectionIsLostAndNothingIsAskedForAgain() {
        stream.answersDrain = false;
        start(3);
        CompletableFuture<Void> drained = subscription.drain();
        stream.awaitDrainAsked();
        stream.breakDown();
        assertThat(drained).succeedsWithin(SOON);
        FakeStream next = broker.nextStream().accept();
        subscription.request(1);
        next.awaitCredit(1);
    }

    @Test
    void drainCompletesAtOnceWithoutAConnection() {
        subscription.request(3);
        assertThat(subscription.drain()).isCompleted();
        stream.accept();
        subscription.request(1);
        stream.awaitCredit(1);
    }

    @Test
    void closeReleasesWhatIsUnderWayAndEndsTheStream() {
        stream.answersDrain = false;
        start(2);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(subscription::close);
        stream.awaitDrainAsked();
        stream.deliver("a");
        stream.awaitReleased("lease-a");
        stream.drained();
        assertThat(closing).isNotDone();
        stream.settleLast();
        assertThat(closing).succeedsWithin(SOON);
        await().until(() -> stream.halfClosed);
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.CLOSED);
        assertThat(listener.deliveries).isEmpty();
        assertThat(listener.interruptions).isEmpty();
    }

    @Test
    void closeDoesNotWaitForItselfInAListener() {
        CompletableFuture<FilaSubscription> own = new CompletableFuture<>();
        CompletableFuture<Boolean> acked = new CompletableFuture<>();
        CountDownLatch returned = new CountDownLatch(1);
        own.complete(client.subscribe(new SubscriptionSpec("own", "x", List.of()), new RecordingListener() {
            @Override
            public void onDelivery(Delivery delivery) {
                delivery.ack().thenAccept(acked::complete);
                own.join().close();
                returned.countDown();
            }
        }));
        own.join().request(1);
        FakeStream ownStream = broker.nextStream().accept();
        ownStream.awaitCredit(1);
        ownStream.deliver("a");
        await().until(() -> returned.getCount() == 0);
        // had it waited, it would have given up on the ack by now
        ownStream.awaitAcked("lease-a");
        ownStream.settleLast();
        assertThat(acked).succeedsWithin(SOON).isEqualTo(true);
        await().until(() -> ownStream.halfClosed);
    }

    private void start(int credit) {
        stream.accept();
        subscription.request(credit);
        stream.awaitCredit(credit);
    }
}
