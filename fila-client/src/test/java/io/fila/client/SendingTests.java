package io.fila.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.fila.client.FakeBroker.EnqueueCall;
import io.fila.client.QueueSpec.Ordering.WhenKeyMissing;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;
import io.fila.protocol.v1.OrderingKeyMissing;
import io.grpc.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.fila.client.Problems.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SendingTests {

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
    void mergesSingleSendsThatComeWhileARequestIsUnderWay() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 100);
        broker.nextEnqueue().store();
        EnqueueCall merged = broker.nextEnqueue();
        assertThat(merged.payloads()).containsExactlyElementsOf(numbers(1, 100));
        merged.store();
        assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(SOON));
        assertThat(answers.get(42).join().id()).isEqualTo("stored-42");
        assertThat(broker.enqueues).hasSize(2);
    }

    @Test
    void failsOnlyTheGuiltyMessageOfAMergedRequest() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 65);
        EnqueueCall first = broker.nextEnqueue();
        broker.onEnqueue = call -> {
            if (call.payloads().contains("13") || call.payloads().contains("57")) {
                call.fail(FakeBroker.problem(Status.Code.INVALID_ARGUMENT, "payload-too-large", "too large"));
            } else {
                call.store();
            }
        };
        first.store();
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
    void failsAMergedRequestAtOnceForWhatConcernsTheQueue() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 10);
        broker.nextEnqueue().store();
        broker.nextEnqueue().fail(FakeBroker.problem(Status.Code.NOT_FOUND, "queue-not-found", "gone"));
        assertThat(answers.subList(1, 10))
                .allSatisfy(answer -> assertThat(problem(answer).code()).isEqualTo("queue-not-found"));
        assertThat(broker.enqueues).hasSize(2);
    }

    @Test
    void neitherMergesNorSplitsSendAll() {
        broker.holdEnqueues();
        CompletableFuture<SendResult> before = client.sendAsync("orders", OutgoingMessage.text("before"));
        EnqueueCall single = broker.nextEnqueue();
        CompletableFuture<List<SendResult>> all = client.sendAllAsync(
                "orders", List.of(OutgoingMessage.text("a"), OutgoingMessage.text("bad"), OutgoingMessage.text("c")));
        CompletableFuture<SendResult> after = client.sendAsync("orders", OutgoingMessage.text("after"));
        EnqueueCall own = broker.nextEnqueue();
        assertThat(single.payloads()).containsExactly("before");
        assertThat(own.payloads()).containsExactly("a", "bad", "c");
        own.fail(FakeBroker.problem(Status.Code.INVALID_ARGUMENT, "invalid-request", "messages[1] is bad"));
        assertThat(problem(all)).hasMessageContaining("messages[1] is bad");
        single.store();
        broker.nextEnqueue().store();
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
    void keepsBackACancelledMessage() {
        broker.holdEnqueues();
        List<CompletableFuture<SendResult>> answers = sendAsync("orders", 0, 4);
        answers.get(2).cancel(false);
        broker.nextEnqueue().store();
        EnqueueCall merged = broker.nextEnqueue();
        assertThat(merged.payloads()).containsExactly("1", "3");
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
    void declaresQueues() {
        QueueSpec.Retry retry = new QueueSpec.Retry(5, Duration.ofSeconds(2), 1.5, Duration.ofMinutes(2), 0.2);
        QueueSpec spec = QueueSpec.builder("orders")
                .visibilityTimeout(Duration.ofSeconds(30))
                .retry(retry)
                .maxBacklog(1_000)
                .ordering(new QueueSpec.Ordering(List.of("header:account"), WhenKeyMissing.UNORDERED))
                .deliveryDurability(DeliveryDurability.FAST)
                .deadLetterRetention(Duration.ofDays(14))
                .build();
        assertThat(client.declareQueue(spec)).isTrue();
        var settings = broker.queues.declared.get(0).getSettings();
        assertThat(settings.getVisibilityTimeout().getSeconds()).isEqualTo(30);
        assertThat(settings.getRetry().getMaxAttempts()).isEqualTo(5);
        assertThat(settings.getRetry().getMultiplier()).isEqualTo(1.5);
        assertThat(settings.getMaxBacklog()).isEqualTo(1_000);
        assertThat(settings.getOrdering().getKeyList()).containsExactly("header:account");
        assertThat(settings.getOrdering().getWhenKeyMissing())
                .isEqualTo(OrderingKeyMissing.ORDERING_KEY_MISSING_UNORDERED);
        assertThat(settings.getDeliveryDurability())
                .isEqualTo(io.fila.protocol.v1.DeliveryDurability.DELIVERY_DURABILITY_FAST);
        assertThat(settings.getDeadLetterRetention().getSeconds()).isEqualTo(14 * 24 * 3600);

        client.declareQueue(QueueSpec.of("plain"));
        assertThat(broker.queues.declared.get(1).getSettings().hasRetry()).isFalse();
        assertThat(broker.queues.declared.get(1).getSettings().hasMaxBacklog()).isFalse();
        assertThat(broker.queues.declared.get(1).getSettings().hasOrdering()).isFalse();
        assertThat(broker.queues.declared.get(1).getSettings().hasDeliveryDurability())
                .isFalse();

        broker.queues.declareRefusal = Status.PERMISSION_DENIED;
        assertThatThrownBy(() -> client.declareQueue(QueueSpec.of("orders")))
                .isInstanceOfSatisfying(
                        FilaException.class,
                        problem -> assertThat(problem.code()).isEqualTo("forbidden"))
                .hasMessageContaining("declare queue 'orders'");
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
