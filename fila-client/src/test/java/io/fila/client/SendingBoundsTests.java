package io.fila.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.fila.client.FakeBroker.EnqueueCall;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.fila.client.Problems.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/** What bounds sending in memory, calls and time. */
class SendingBoundsTests {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final FakeBroker broker = FakeBroker.start();
    private FilaClient client = broker.client().build();

    @AfterEach
    void close() {
        broker.answerEverything();
        client.close();
        broker.close();
    }

    @Test
    void keepsAMergedRequestWithinItsBounds() {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 60, 8, 1_000, 1 << 20))
                .build();
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 31);
        List<Integer> sizes = new ArrayList<>();
        while (sizes.stream().mapToInt(Integer::intValue).sum() < 31) {
            EnqueueCall call = broker.nextEnqueue();
            sizes.add(call.request().getMessagesCount());
            call.store();
        }
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
        long each = ToProtocol.message(OutgoingMessage.text("20")).getSerializedSize();
        assertThat(sizes.get(0)).isEqualTo(1);
        assertThat(sizes).allSatisfy(size -> assertThat(size * each).isLessThanOrEqualTo(60 + each));
        assertThat(sizes).anySatisfy(size -> assertThat(size).isGreaterThan(1));
    }

    @Test
    void keepsTheCallsUnderWayWithinTheirBound() {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 2, 1_000, 1 << 20))
                .build();
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = new ArrayList<>();
        IntStream.range(0, 5).forEach(i -> answers.add(client.sendAsync("queue-" + i, OutgoingMessage.text("x"))));
        EnqueueCall first = broker.nextEnqueue();
        await().until(() -> broker.held.size() == 1);
        assertThat(broker.enqueues).hasSize(2);
        first.store();
        await().until(() -> broker.enqueues.size() == 3);
        broker.answerEverything();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
    }

    @Test
    void refusesAsynchronousSendsAboveTheBoundAndLetsBlockingOnesWait() {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 8, 5, 1 << 20))
                .build();
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> admitted = sendAsync("orders", 0, 6);
        FilaException refusal = problem(client.sendAsync("orders", OutgoingMessage.text("too much")));
        assertThat(refusal.code()).isEqualTo("client-overloaded");
        assertThat(refusal.isRetryable()).isTrue();

        CompletableFuture<SendResult> blocking =
                CompletableFuture.supplyAsync(() -> client.send("orders", OutgoingMessage.text("patient")));
        broker.nextEnqueue().store();
        EnqueueCall merged = broker.nextEnqueue();
        assertThat(merged.payloads()).hasSize(5).doesNotContain("too much", "patient");
        merged.store();
        broker.nextEnqueue().store();
        assertThat(blocking).succeedsWithin(SOON).isEqualTo(new SendResult("stored-patient", false));
        assertThat(admitted).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
    }

    @Test
    void boundsTheBytesThatWait() {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 8, 1_000, 100))
                .build();
        broker.holdEnqueues();
        sendAsync("orders", 0, 2);
        CompletableFuture<SendResult> large = client.sendAsync("orders", OutgoingMessage.text("x".repeat(100)));
        assertThat(problem(large).code()).isEqualTo("client-overloaded");
    }

    @Test
    void blockingSendGivesUpWaitingForRoomAtTheRequestTimeout() {
        client.close();
        client = broker.client()
                .requestTimeout(Duration.ofSeconds(1))
                .sendLimits(new SendLimits(10, 1 << 20, 1, 1, 1 << 20))
                .build();
        broker.holdEnqueues();
        sendAsync("orders", 0, 2);
        FilaException problem =
                catchThrowableOfType(FilaException.class, () -> client.send("orders", OutgoingMessage.text("x")));

        // those before it give up a moment earlier, and may leave it time enough to be sent in vain itself
        assertThat(problem.code()).isIn("client-overloaded", "timed-out");
        if (problem.code().equals("client-overloaded")) {
            assertThat(broker.enqueues)
                    .noneSatisfy(request -> assertThat(
                                    request.getMessages(0).getPayload().toStringUtf8())
                            .isEqualTo("x"));
        }
    }

    @Test
    void timesOutWithoutAnAnswer() {
        client.close();
        client = broker.client().requestTimeout(Duration.ofMillis(100)).build();
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        assertThat(answers).allSatisfy(answer -> {
            assertThat(problem(answer).code()).isEqualTo("timed-out");
            assertThat(problem(answer)).hasMessageContainingAll("'orders'", "fake-broker:7433");
        });
    }

    @Test
    void closeLetsSendsFinishAndRefusesLaterOnes() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(client::close);
        CompletableFuture<SendResult> refused = await().until(
                        () -> client.sendAsync("orders", OutgoingMessage.text("late")),
                        CompletableFuture::isCompletedExceptionally);
        assertThat(problem(refused).code()).isEqualTo("client-closed");
        broker.nextEnqueue().store();
        broker.nextEnqueue().store();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
        assertThat(closing).succeedsWithin(SOON);
    }

    @Test
    void closeFailsWhatTheBrokerDoesNotAnswer() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        client.close();
        assertThat(answers)
                .allSatisfy(answer -> assertThat(problem(answer).code()).isEqualTo("client-closed"));
    }

    private List<CompletableFuture<SendResult>> sendAsync(String queue, int from, int to) {
        List<CompletableFuture<SendResult>> answers = new ArrayList<>();
        numbers(from, to).forEach(number -> answers.add(client.sendAsync(queue, OutgoingMessage.text(number))));
        return answers;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }
}
