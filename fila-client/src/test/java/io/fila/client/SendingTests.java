package io.fila.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.fila.client.FakeBroker.EnqueueCall;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class SendingTests {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final FakeBroker broker = FakeBroker.start();
    private final BlockingQueue<EnqueueCall> held = new LinkedBlockingQueue<>();
    private FilaClient client = broker.client().build();

    @AfterEach
    void close() {
        // whatever is still held would keep the client waiting
        broker.onEnqueue = EnqueueCall::store;
        held.forEach(call -> call.fail(Status.UNAVAILABLE.asRuntimeException()));
        client.close();
        broker.close();
    }

    @Test
    void sendsEverythingThatTheMessageSays() {
        OutgoingMessage message = OutgoingMessage.of(Payload.json("{}"))
                .header("customer", "acme")
                .fairnessKey("")
                .weight(3)
                .delay(Duration.ofMillis(1_500))
                .id("c0ffee00-0000-4000-8000-000000000001")
                .build();
        assertThat(client.send("orders", message)).isEqualTo(new SendResult("stored-{}", false));
        EnqueueRequest request = broker.enqueues.get(0);
        assertThat(request.getQueue()).isEqualTo("orders");
        assertThat(request.getMessages(0)).isEqualTo(ToProtocol.message(message));
        assertThat(request.getMessages(0).getHeadersMap()).containsEntry("customer", "acme");
        assertThat(request.getMessages(0).hasFairnessKey()).isTrue();
        assertThat(request.getMessages(0).getDelay().getNanos()).isEqualTo(500_000_000);
    }

    @Test
    void mergesSingleSendsThatComeWhileARequestIsUnderWay() throws Exception {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 100);
        held.take().store();
        EnqueueCall merged = held.take();
        assertThat(payloads(merged)).containsExactlyElementsOf(numbers(1, 100));
        merged.store();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
        assertThat(answers.get(42).join().id()).isEqualTo("stored-42");
        assertThat(broker.enqueues).hasSize(2);
    }

    @Test
    void keepsAMergedRequestWithinItsBounds() throws Exception {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 60, 8, 1_000, 1 << 20))
                .build();
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 31);
        List<Integer> sizes = new ArrayList<>();
        while (sizes.stream().mapToInt(Integer::intValue).sum() < 31) {
            EnqueueCall call = held.poll(10, TimeUnit.SECONDS);
            assertThat(call).isNotNull();
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
    void keepsTheCallsUnderWayWithinTheirBound() throws Exception {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 2, 1_000, 1 << 20))
                .build();
        hold();
        List<CompletableFuture<SendResult>> answers = new ArrayList<>();
        IntStream.range(0, 5).forEach(i -> answers.add(client.sendAsync("queue-" + i, OutgoingMessage.text("x"))));
        EnqueueCall first = held.take();
        await().until(() -> held.size() == 1);
        assertThat(broker.enqueues).hasSize(2);
        first.store();
        await().until(() -> broker.enqueues.size() == 3);
        releaseHeld();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
    }

    @Test
    void failsOnlyTheGuiltyMessageOfAMergedRequest() throws Exception {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 65);
        broker.onEnqueue = call -> {
            if (call.holds("13") || call.holds("57")) {
                call.fail(FakeBroker.problem(Status.Code.INVALID_ARGUMENT, "payload-too-large", "too large"));
            } else {
                call.store();
            }
        };
        held.take().store();
        for (int i = 0; i < answers.size(); i++) {
            if (i == 13 || i == 57) {
                assertThat(problem(answers.get(i)).code()).isEqualTo("payload-too-large");
            } else {
                assertThat(answers.get(i)).succeedsWithin(SOON).isEqualTo(new SendResult("stored-" + i, false));
            }
        }
        assertThat(broker.enqueues.size()).as("requests, by halving").isLessThan(40);
    }

    @Test
    void failsAMergedRequestAtOnceForWhatConcernsTheQueue() throws Exception {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 10);
        held.take().store();
        held.take().fail(FakeBroker.problem(Status.Code.NOT_FOUND, "queue-not-found", "gone"));
        assertThat(answers.subList(1, 10))
                .allSatisfy(answer -> assertThat(problem(answer).code()).isEqualTo("queue-not-found"));
        assertThat(broker.enqueues).hasSize(2);
    }

    @Test
    void neitherMergesNorSplitsSendAll() throws Exception {
        hold();
        CompletableFuture<SendResult> before = client.sendAsync("orders", OutgoingMessage.text("before"));
        CompletableFuture<List<SendResult>> all = client.sendAllAsync(
                "orders", List.of(OutgoingMessage.text("a"), OutgoingMessage.text("bad"), OutgoingMessage.text("c")));
        CompletableFuture<SendResult> after = client.sendAsync("orders", OutgoingMessage.text("after"));
        EnqueueCall single = held.take();
        EnqueueCall own = held.take();
        assertThat(payloads(single)).containsExactly("before");
        assertThat(payloads(own)).containsExactly("a", "bad", "c");
        own.fail(FakeBroker.problem(Status.Code.INVALID_ARGUMENT, "invalid-request", "messages[1] is bad"));
        assertThat(problem(all)).hasMessageContaining("messages[1] is bad");
        single.store();
        held.take().store();
        assertThat(before).succeedsWithin(SOON);
        assertThat(after).succeedsWithin(SOON);
        assertThat(broker.enqueues).hasSize(3);
    }

    @Test
    void answersSendAllInOrder() {
        List<SendResult> results =
                client.sendAll("orders", List.of(OutgoingMessage.text("a"), OutgoingMessage.text("b")));
        assertThat(results).extracting(SendResult::id).containsExactly("stored-a", "stored-b");
        assertThatIllegalArgumentException().isThrownBy(() -> client.sendAll("orders", List.of()));
    }

    @Test
    void refusesAsynchronousSendsAboveTheBoundAndLetsBlockingOnesWait() throws Exception {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 8, 5, 1 << 20))
                .build();
        hold();
        List<CompletableFuture<SendResult>> admitted = sendAsync("orders", 0, 6);
        FilaException refusal = problem(client.sendAsync("orders", OutgoingMessage.text("too much")));
        assertThat(refusal.code()).isEqualTo("client-overloaded");
        assertThat(refusal.isRetryable()).isTrue();

        CompletableFuture<SendResult> blocking =
                CompletableFuture.supplyAsync(() -> client.send("orders", OutgoingMessage.text("patient")));
        held.take().store();
        EnqueueCall merged = held.take();
        assertThat(payloads(merged)).hasSize(5).doesNotContain("too much", "patient");
        merged.store();
        held.take().store();
        assertThat(blocking).succeedsWithin(SOON).isEqualTo(new SendResult("stored-patient", false));
        assertThat(admitted).allSatisfy(answer -> assertThat(answer).isCompleted());
    }

    @Test
    void boundsTheBytesThatWait() throws Exception {
        client.close();
        client = broker.client()
                .sendLimits(new SendLimits(10, 1 << 20, 8, 1_000, 100))
                .build();
        hold();
        sendAsync("orders", 0, 2);
        CompletableFuture<SendResult> large = client.sendAsync("orders", OutgoingMessage.text("x".repeat(100)));
        assertThat(problem(large).code()).isEqualTo("client-overloaded");
    }

    @Test
    void blockingSendGivesUpWaitingForRoomAtTheRequestTimeout() {
        client.close();
        client = broker.client()
                .requestTimeout(Duration.ofMillis(200))
                .sendLimits(new SendLimits(10, 1 << 20, 1, 1, 1 << 20))
                .build();
        hold();
        sendAsync("orders", 0, 2);
        assertThatThrownBy(() -> client.send("orders", OutgoingMessage.text("x")))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isIn("client-overloaded", "timed-out"));
        assertThat(broker.enqueues)
                .noneSatisfy(request -> assertThat(
                                request.getMessages(0).getPayload().toStringUtf8())
                        .isEqualTo("x"));
    }

    @Test
    void timesOutWithoutAnAnswer() {
        client.close();
        client = broker.client().requestTimeout(Duration.ofMillis(100)).build();
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        assertThat(answers).allSatisfy(answer -> {
            assertThat(problem(answer).code()).isEqualTo("timed-out");
            assertThat(problem(answer)).hasMessageContainingAll("'orders'", "fake-broker:7433");
        });
    }

    @Test
    void keepsBackACancelledMessage() throws Exception {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 4);
        answers.get(2).cancel(false);
        held.take().store();
        EnqueueCall merged = held.take();
        assertThat(payloads(merged)).containsExactly("1", "3");
        merged.store();
        assertThat(answers.get(3)).succeedsWithin(SOON).isEqualTo(new SendResult("stored-3", false));
    }

    @Test
    void refusesAnAnswerThatDoesNotFitTheRequest() {
        broker.onEnqueue = call -> {
            call.response().onNext(EnqueueResponse.getDefaultInstance());
            call.response().onCompleted();
        };
        assertThatThrownBy(() -> client.send("orders", OutgoingMessage.text("x")))
                .isInstanceOf(FilaException.class)
                .hasMessageContaining("0 results for 1 messages");
    }

    @Test
    void namesBrokerAndQueueWhenNobodyAnswers() {
        broker.stop();
        assertThatThrownBy(() -> client.send("orders", OutgoingMessage.text("x")))
                .isInstanceOfSatisfying(FilaException.class, problem -> {
                    assertThat(problem.code()).isEqualTo("broker-unreachable");
                    assertThat(problem.isRetryable()).isTrue();
                })
                .hasMessageContainingAll("'orders'", "fake-broker:7433");
    }

    @Test
    void closeLetsSendsFinishAndRefusesLaterOnes() throws Exception {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(client::close);
        await().until(
                        () -> problemOf(client.sendAsync("orders", OutgoingMessage.text("late"))),
                        "client-closed"::equals);
        held.take().store();
        held.take().store();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
        assertThat(closing).succeedsWithin(SOON);
    }

    @Test
    void closeFailsWhatTheBrokerDoesNotAnswer() {
        hold();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 3);
        client.close();
        assertThat(answers)
                .allSatisfy(answer -> assertThat(problem(answer).code()).isEqualTo("client-closed"));
    }

    @Test
    void declaresQueues() {
        QueueSpec.Retry retry = new QueueSpec.Retry(5, Duration.ofSeconds(2), 1.5, Duration.ofMinutes(2), 0.2);
        assertThat(client.declareQueue(new QueueSpec("orders", Duration.ofSeconds(30), retry, 1_000L)))
                .isTrue();
        var settings = broker.declaredQueues.get(0).getSettings();
        assertThat(settings.getVisibilityTimeout().getSeconds()).isEqualTo(30);
        assertThat(settings.getRetry().getMaxAttempts()).isEqualTo(5);
        assertThat(settings.getRetry().getMultiplier()).isEqualTo(1.5);
        assertThat(settings.getMaxBacklog()).isEqualTo(1_000);

        client.declareQueue(QueueSpec.of("plain"));
        assertThat(broker.declaredQueues.get(1).getSettings().hasRetry()).isFalse();
        assertThat(broker.declaredQueues.get(1).getSettings().hasMaxBacklog()).isFalse();

        broker.declareRefusal = Status.PERMISSION_DENIED;
        assertThatThrownBy(() -> client.declareQueue(QueueSpec.of("orders")))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("forbidden"))
                .hasMessageContaining("declare queue 'orders'");
    }

    private void hold() {
        broker.onEnqueue = held::add;
    }

    private void releaseHeld() {
        broker.onEnqueue = EnqueueCall::store;
        for (EnqueueCall call = held.poll(); call != null; call = held.poll()) {
            call.store();
        }
    }

    private List<CompletableFuture<SendResult>> sendAsync(String queue, int from, int to) {
        List<CompletableFuture<SendResult>> answers = new ArrayList<>();
        numbers(from, to).forEach(number -> answers.add(client.sendAsync(queue, OutgoingMessage.text(number))));
        return answers;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    private static List<String> payloads(EnqueueCall call) {
        return call.request().getMessagesList().stream()
                .map(message -> message.getPayload().toStringUtf8())
                .toList();
    }

    private static FilaException problem(CompletableFuture<?> answer) {
        return (FilaException) assertThat(answer)
                .failsWithin(SOON)
                .withThrowableOfType(Exception.class)
                .actual()
                .getCause();
    }

    private static String problemOf(CompletableFuture<?> answer) {
        return answer.isCompletedExceptionally() ? problem(answer).code() : "";
    }
}
