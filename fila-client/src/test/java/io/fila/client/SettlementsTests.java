package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.fila.protocol.v1.Nack;
import io.fila.protocol.v1.SubscribeRequest;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.fila.client.Problems.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

class SettlementsTests {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final FakeBroker broker = FakeBroker.start();
    private final RecordingListener listener = new RecordingListener();
    private FilaClient client;
    private FilaSubscription subscription;
    private FakeStream stream;

    @AfterEach
    void close() {
        broker.answerEverything();
        client.close();
        broker.close();
    }

    @Test
    void completesWhenTheBrokerHasAnswered() {
        start(Duration.ofSeconds(10), "a", "b");
        CompletableFuture<Boolean> ack = delivery(0).ack();
        stream.awaitAcked("lease-a");
        assertThat(ack).isNotDone();
        stream.settleLast();
        assertThat(ack).succeedsWithin(SOON).isEqualTo(true);

        CompletableFuture<Boolean> lost = delivery(1).ack();
        stream.awaitAcked("lease-a", "lease-b");
        stream.settleLast("lease-b");
        assertThat(lost).succeedsWithin(SOON).isEqualTo(false);
    }

    @Test
    void saysEverythingThatTheNackSays() {
        start(Duration.ofSeconds(10), "a", "b");
        delivery(0).nack(io.fila.client.Nack.retryAfter("x".repeat(3_000), Duration.ofSeconds(7)));
        delivery(1).nack(io.fila.client.Nack.deadLetter("hopeless"));
        await().until(() -> stream.nacked().size() == 2);
        Nack retried = stream.nacked().get(0);
        assertThat(retried.getLease()).isEqualTo("lease-a");
        assertThat(retried.getError()).hasSize(2_000);
        assertThat(retried.getRetryAfter().getSeconds()).isEqualTo(7);
        assertThat(retried.getDeadLetter()).isFalse();
        assertThat(stream.nacked().get(1).getDeadLetter()).isTrue();
        assertThat(stream.nacked().get(1).hasRetryAfter()).isFalse();
    }

    @Test
    void saysWhichBucketsToCloseAndForHowLong() {
        start(Duration.ofSeconds(10), "a", "b");
        delivery(0).nack(io.fila.client.Nack.closeBuckets("429", Duration.ofSeconds(20)));
        delivery(1).nack(io.fila.client.Nack.closeBuckets("429", Duration.ofSeconds(5), List.of("stripe")));
        await().until(() -> stream.nacked().size() == 2);
        assertThat(stream.nacked().get(0).getCloseBucketsFor().getSeconds()).isEqualTo(20);
        assertThat(stream.nacked().get(0).getCloseBucketsOfList()).isEmpty();
        assertThat(stream.nacked().get(0).hasRetryAfter()).isFalse();
        assertThat(stream.nacked().get(1).getCloseBucketsFor().getSeconds()).isEqualTo(5);
        assertThat(stream.nacked().get(1).getCloseBucketsOfList()).containsExactly("stripe");
    }

    @Test
    void mayBeSettledInAnotherWayWhenBucketsCannotBeClosed() {
        start(Duration.ofSeconds(10), "a");
        CompletableFuture<Boolean> closing =
                delivery(0).nack(io.fila.client.Nack.closeBuckets("429", Duration.ofHours(2)));
        await().until(() -> stream.nacked().size() == 1);
        stream.refuseClosing(last(stream), "closeBucketsFor: expected 1ms to 1h, got 2h");
        FilaException refusal = problem(closing);
        assertThat(refusal.code()).isEqualTo("invalid-request");
        assertThat(refusal).hasMessageContaining("expected 1ms to 1h, got 2h");
        assertThat(refusal.isRetryable()).isFalse();

        CompletableFuture<Boolean> released = delivery(0).release();
        await().until(() -> !stream.released().isEmpty());
        stream.settleLast();
        assertThat(released).succeedsWithin(SOON).isEqualTo(true);
    }

    /** The broker used to end the stream, and everything that had been sent failed with the one. */
    @Test
    void failsOnlyTheSettlementThatTheBrokerRefuses() {
        start(Duration.ofSeconds(10), "a", "b");
        CompletableFuture<Boolean> extended = delivery(0).extend(Duration.ofHours(12));
        CompletableFuture<Boolean> ack = delivery(1).ack();
        stream.awaitAcked("lease-b");
        stream.frames.stream()
                .filter(frame -> frame.getSequence() > 0)
                .forEach(frame ->
                        stream.refuseSettlement(frame.getSequence(), "lease-a", "by: expected 1s to 1h, got 12h"));

        assertThat(ack).succeedsWithin(SOON).isEqualTo(true);
        assertThat(problem(extended).code()).isEqualTo("invalid-request");
        assertThat(problem(extended))
                .hasMessageContaining("lease-a")
                .hasMessageContaining("expected 1s to 1h, got 12h");
        assertThat(delivery(0).ack()).isNotDone();
    }

    /** The broker used to refuse it, and with it everything that was sent beside it. */
    @Test
    void replacesWhatCannotBeStoredOfAnError() {
        start(Duration.ofSeconds(10), "a", "b");
        delivery(0).nack(io.fila.client.Nack.failed("nul \0, halves \ud83d and \ude80, whole \ud83d\ude80"));
        delivery(1).nack(io.fila.client.Nack.failed("x".repeat(1_999) + "\ud83d\ude80"));
        await().until(() -> stream.nacked().size() == 2);
        assertThat(stream.nacked().get(0).getError())
                .isEqualTo("nul \ufffd, halves \ufffd and \ufffd, whole \ud83d\ude80");
        assertThat(stream.nacked().get(1).getError()).isEqualTo("x".repeat(1_999) + "\ufffd");
    }

    @Test
    void extendsBeforeItSettles() {
        start(Duration.ofSeconds(10), "a");
        CompletableFuture<Boolean> extended = delivery(0).extend(Duration.ofSeconds(30));
        delivery(0).ack();
        stream.awaitAcked("lease-a");
        List<SubscribeRequest> frames =
                stream.frames.stream().filter(frame -> frame.getSequence() > 0).toList();
        assertThat(frames).hasSize(2);
        assertThat(frames.get(0).getExtend(0).getBy().getSeconds()).isEqualTo(30);
        stream.settle(frames.get(0).getSequence());
        assertThat(extended).succeedsWithin(SOON).isEqualTo(true);
        for (Duration by : List.of(
                Duration.ZERO, Duration.ofMillis(999), Duration.ofHours(12).plusNanos(1))) {
            assertThatIllegalArgumentException().isThrownBy(() -> delivery(0).extend(by));
        }
    }

    @Test
    void settlesADeliveryOnce() {
        start(Duration.ofSeconds(10), "a");
        delivery(0).ack();
        assertThat(delivery(0).release()).isCompletedWithValue(false);
        stream.awaitAcked("lease-a");
        assertThat(stream.released()).isEmpty();
    }

    @Test
    void sendsAgainAfterReconnectWhatABrokenStreamLeftUnanswered() {
        start(Duration.ofSeconds(10), "a", "b");
        CompletableFuture<Boolean> sent = delivery(0).ack();
        stream.awaitAcked("lease-a");
        stream.breakDown();
        FakeStream next = broker.nextStream();
        CompletableFuture<Boolean> unsent = delivery(1).ack();
        await().until(() -> !next.frames.isEmpty());
        assertThat(next.acked()).as("before it is accepted").isEmpty();
        next.accept();
        next.awaitAcked("lease-a", "lease-b");
        next.settle(last(next), "lease-a");
        assertThat(sent).as("lost, or settled already").succeedsWithin(SOON).isEqualTo(false);
        assertThat(unsent).succeedsWithin(SOON).isEqualTo(true);
    }

    @Test
    void doesNotSendAgainWhatTheBrokerEndedTheStreamFor() {
        start(Duration.ofSeconds(10), "a", "b");
        CompletableFuture<Boolean> disliked = delivery(0).ack();
        stream.awaitAcked("lease-a");
        stream.refuse(Status.Code.INVALID_ARGUMENT, "invalid-request", "ack[0] is no lease");
        assertThat(disliked).failsWithin(SOON).withThrowableThat().withMessageContaining("ack[0] is no lease");
        FakeStream next = broker.nextStream().accept();
        delivery(1).ack();
        next.awaitAcked("lease-b");
    }

    @Test
    void failsAsUnreachableWhenNoStreamComesInTimeAndMayThenBeTriedAgain() {
        start(Duration.ofSeconds(1), "a");
        stream.breakDown();
        FakeStream silent = broker.nextStream();
        assertThat(problem(delivery(0).ack()).code()).isEqualTo("broker-unreachable");
        assertThat(silent.acked()).isEmpty();
        CompletableFuture<Boolean> again = delivery(0).ack();
        assertThat(again).isNotDone();
    }

    @Test
    void timesOutWhenTheBrokerDoesNotAnswer() {
        start(Duration.ofSeconds(1), "a");
        assertThat(problem(delivery(0).ack()).code()).isEqualTo("timed-out");
    }

    @Test
    void accumulatesIntoFewFrames() {
        String[] messages =
                IntStream.range(0, 5_000).mapToObj(Integer::toString).toArray(String[]::new);
        start(Duration.ofSeconds(10), messages);
        List<CompletableFuture<Boolean>> acks =
                listener.deliveries.stream().map(Delivery::ack).toList();
        await().until(() -> stream.acked().size() == 5_000);
        List<SubscribeRequest> frames =
                stream.frames.stream().filter(frame -> frame.getAckCount() > 0).toList();
        assertThat(frames.size()).isLessThan(1_000);
        assertThat(frames).extracting(SubscribeRequest::getSequence).isSorted().doesNotHaveDuplicates();
        frames.forEach(frame -> stream.settle(frame.getSequence()));
        assertThat(acks).allSatisfy(ack -> assertThat(ack).succeedsWithin(SOON).isEqualTo(true));
    }

    @Test
    void accumulatesIntoOneFrameWhileTheStreamHasNoRoom() {
        broker.readsByHand = true;
        client = broker.client().build();
        subscription = client.subscribe(new SubscriptionSpec("orders", "billing-1", List.of()), listener);
        stream = broker.nextStream();
        stream.read(1);
        stream.accept();
        await().untilAtomic(listener.acceptances, equalTo(1));
        subscription.request(2);
        subscription.request(1);
        stream.read(1);
        stream.awaitCredit(3);
        stream.deliver("a", "b", "c");
        listener.awaitDelivery(2);
        listener.deliveries.forEach(Delivery::ack);
        subscription.request(3);
        assertThat(stream.acked()).isEmpty();
        stream.read(1);
        stream.awaitAcked("lease-a", "lease-b", "lease-c");
        stream.read(10);
        stream.awaitCredit(6);
    }

    @Test
    void closeFlushesWhatWasHandedOver() {
        start(Duration.ofSeconds(10), "a", "b");
        CompletableFuture<Boolean> first = delivery(0).ack();
        CompletableFuture<Boolean> second = delivery(1).ack();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(client::close);
        await().until(() -> stream.acked().size() == 2);
        assertThat(stream.halfClosed).isFalse();
        stream.frames.stream()
                .filter(frame -> frame.getSequence() > 0)
                .forEach(frame -> stream.settle(frame.getSequence()));
        assertThat(closing).succeedsWithin(SOON);
        assertThat(first).isCompletedWithValue(true);
        assertThat(second).isCompletedWithValue(true);
        await().until(() -> stream.halfClosed);
    }

    @Test
    void closeFlushesOnANewStreamWhatABrokenOneLeftUnanswered() {
        start(Duration.ofSeconds(10), "a");
        CompletableFuture<Boolean> ack = delivery(0).ack();
        stream.awaitAcked("lease-a");
        stream.breakDown();
        FakeStream next = broker.nextStream();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(subscription::close);
        next.accept();
        next.awaitAcked("lease-a");
        next.settleLast();
        assertThat(closing).succeedsWithin(SOON);
        assertThat(ack).isCompletedWithValue(true);
    }

    @Test
    void closeGivesUpOnABrokerThatDoesNotAnswer() {
        start(Duration.ofSeconds(10), "a");
        CompletableFuture<Boolean> ack = delivery(0).ack();
        subscription.close();
        assertThat(problem(ack).code()).isEqualTo("client-closed");
        assertThat(subscription.state()).isEqualTo(FilaSubscription.State.CLOSED);
    }

    private void start(Duration requestTimeout, String... messages) {
        client = broker.client().requestTimeout(requestTimeout).build();
        subscription = client.subscribe(new SubscriptionSpec("orders", "billing-1", List.of()), listener);
        subscription.request(messages.length);
        stream = broker.nextStream().accept();
        stream.awaitCredit(messages.length);
        stream.deliver(messages);
        listener.awaitDelivery(messages.length - 1);
    }

    private Delivery delivery(int index) {
        return listener.deliveries.get(index);
    }

    private static long last(FakeStream stream) {
        return stream.frames.get(stream.frames.size() - 1).getSequence();
    }
}
