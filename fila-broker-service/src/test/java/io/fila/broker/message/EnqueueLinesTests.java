package io.fila.broker.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.QueueSettings;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EnqueueLinesTests {

    private static final QueueName ORDERS = QueueName.of("orders");
    private static final QueueName REPORTS = QueueName.of("reports");

    private final List<EnqueueCall> submitted = new ArrayList<>();
    private final EnqueueWaitingRoom room = new EnqueueWaitingRoom(20L << 20);
    /** Of calls that begin with this payload. */
    private final Map<String, CompletableFuture<EnqueueCall>> classifications = new HashMap<>();

    private final EnqueueLines lines = new EnqueueLines(this::prepare, this::classify, submitted::add, room);

    @Test
    void storesWhatComesMeanwhileTogetherAndInOrder() {
        CompletableFuture<List<Enqueued>> first = enqueue(ORDERS, "a");
        CompletableFuture<List<Enqueued>> second = enqueue(ORDERS, "b", "c");
        CompletableFuture<List<Enqueued>> third = enqueue(ORDERS, "d");
        assertThat(submitted).hasSize(1);

        store(0);

        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(submitted).hasSize(2);
        assertThat(payloads(1)).containsExactly("b", "c", "d");

        store(1);

        assertThat(second.join()).hasSize(2);
        assertThat(third.join())
                .extracting(Enqueued::id)
                .containsExactly(submitted.get(1).ids().get(2));
        enqueue(ORDERS, "e");
        assertThat(payloads(2)).containsExactly("e");
        assertThat(room.waiting()).isZero();
    }

    @Test
    void doesNotLetOneQueueWaitForAnother() {
        enqueue(ORDERS, "a");
        enqueue(REPORTS, "b");

        assertThat(submitted).extracting(call -> call.queue().name()).containsExactly(ORDERS, REPORTS);
    }

    @Test
    void refusesWhatIsWrongAtOnceAndGoesOn() {
        enqueue(ORDERS, "a");
        CompletableFuture<List<Enqueued>> wrong = enqueue(ORDERS, "wrong");
        enqueue(ORDERS, "b");

        assertFailed(wrong, ProblemCode.INVALID_REQUEST);
        store(0);
        assertThat(payloads(1)).containsExactly("b");
    }

    @Test
    void failsWhatWaitsBehindOneThatCouldNotBeStored() {
        CompletableFuture<List<Enqueued>> first = enqueue(ORDERS, "a");
        CompletableFuture<List<Enqueued>> second = enqueue(ORDERS, "b");
        CompletableFuture<List<Enqueued>> elsewhere = enqueue(REPORTS, "c");

        submitted.get(0).fail(new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, "away"));

        assertFailed(first, ProblemCode.STORAGE_UNAVAILABLE);
        assertFailed(second, ProblemCode.STORAGE_UNAVAILABLE);
        assertThat(elsewhere).isNotDone();
        assertThat(submitted).hasSize(2);
        // it was on its way, or else it would overtake them
        assertFailed(enqueue(ORDERS, "d"), ProblemCode.STORAGE_UNAVAILABLE);
        assertFailed(enqueue(REPORTS, "e"), ProblemCode.STORAGE_UNAVAILABLE);
        assertThat(submitted).hasSize(2);
        assertThat(room.waiting()).isZero();
    }

    @Test
    void goesOnBehindOneThatIsRefusedForItself() {
        enqueue(ORDERS, "a");
        CompletableFuture<List<Enqueued>> second = enqueue(ORDERS, "b");

        submitted.get(0).fail(new IllegalStateException("a bug"));

        assertThat(second).isNotDone();
        assertThat(payloads(1)).containsExactly("b");
    }

    @Test
    void failsAllOfALineThatIsNotTaken() {
        EnqueueLines refused = new EnqueueLines(
                this::prepare,
                this::classify,
                call -> {
                    throw new ProblemException(ProblemCode.RATE_LIMITED, "too much");
                },
                room);

        assertFailed(refused.enqueue(ORDERS, messages("a")), ProblemCode.RATE_LIMITED);
        assertFailed(refused.enqueue(ORDERS, messages("b")), ProblemCode.RATE_LIMITED);
    }

    @Test
    void storesNoMoreTogetherThanABatchHas() {
        String large = "x".repeat(3 << 20);
        enqueue(ORDERS, "a");
        enqueue(ORDERS, large);
        enqueue(ORDERS, large);
        enqueue(ORDERS, "b");

        store(0);
        assertThat(submitted.get(1).messages()).hasSize(1);
        store(1);
        assertThat(submitted.get(2).messages()).hasSize(2);
    }

    @Test
    void boundsWhatAllProducersKeepWaiting() {
        String large = "x".repeat(9 << 20);
        EnqueueLines other = new EnqueueLines(this::prepare, this::classify, submitted::add, room);
        enqueue(ORDERS, "a");
        other.enqueue(ORDERS, messages("b"));
        enqueue(ORDERS, large);
        CompletableFuture<List<Enqueued>> second = other.enqueue(ORDERS, messages(large));
        EnqueueLines third = new EnqueueLines(this::prepare, this::classify, submitted::add, room);
        third.enqueue(ORDERS, messages("c"));

        assertFailed(third.enqueue(ORDERS, messages(large)), ProblemCode.RATE_LIMITED);
        assertThat(second).isNotDone();
        store(0);
        assertThat(enqueue(ORDERS, large)).isNotDone();
    }

    @Test
    void failsWhatWaitsWhenTheProducerIsGone() {
        CompletableFuture<List<Enqueued>> underWay = enqueue(ORDERS, "a");
        CompletableFuture<List<Enqueued>> waiting = enqueue(ORDERS, "b");

        lines.close();

        assertFailed(waiting, ProblemCode.STORAGE_UNAVAILABLE);
        assertFailed(enqueue(ORDERS, "c"), ProblemCode.STORAGE_UNAVAILABLE);
        assertThat(room.waiting()).isZero();
        store(0);
        assertThat(underWay).isCompleted();
        assertThat(submitted).hasSize(1);
    }

    @Test
    void failsTheOneThatItsScriptRefusesAndStoresThoseThatCameWithIt() {
        enqueue(ORDERS, "a");
        classifications.put(
                "refused",
                CompletableFuture.failedFuture(new ProblemException(ProblemCode.SCRIPT_FAILED, "no such account")));
        CompletableFuture<List<Enqueued>> before = enqueue(ORDERS, "b");
        CompletableFuture<List<Enqueued>> refused = enqueue(ORDERS, "refused");
        CompletableFuture<List<Enqueued>> after = enqueue(ORDERS, "c");

        store(0);
        assertFailed(refused, ProblemCode.SCRIPT_FAILED);
        assertThat(payloads(1)).containsExactly("b", "c");
        store(1);

        assertThat(before).isCompleted();
        assertThat(after).isCompleted();
        enqueue(ORDERS, "d");
        assertThat(payloads(2)).containsExactly("d");
    }

    @Test
    void storesNothingThatCameAfterOneWhoseScriptTimedOut() {
        enqueue(ORDERS, "a");
        classifications.put(
                "slow", CompletableFuture.failedFuture(new ProblemException(ProblemCode.SCRIPT_TIMED_OUT, "too slow")));
        CompletableFuture<List<Enqueued>> before = enqueue(ORDERS, "b");
        CompletableFuture<List<Enqueued>> slow = enqueue(ORDERS, "slow");
        CompletableFuture<List<Enqueued>> after = enqueue(ORDERS, "c");

        store(0);
        assertFailed(slow, ProblemCode.SCRIPT_TIMED_OUT);
        assertFailed(after, ProblemCode.SCRIPT_TIMED_OUT);
        assertFailed(enqueue(ORDERS, "d"), ProblemCode.SCRIPT_TIMED_OUT);
        assertThat(payloads(1)).containsExactly("b");
        store(1);

        assertThat(before).isCompleted();
        assertThat(submitted).hasSize(2);
        assertThat(room.waiting()).isZero();
    }

    @Test
    void waitsForTheScriptOfTheOneAhead() {
        CompletableFuture<EnqueueCall> script = new CompletableFuture<>();
        classifications.put("a", script);
        enqueue(ORDERS, "a");
        enqueue(ORDERS, "b");
        assertThat(submitted).isEmpty();

        script.complete(prepare(ORDERS, messages("a, classified")));
        assertThat(payloads(0)).containsExactly("a, classified");
        store(0);

        assertThat(payloads(1)).containsExactly("b");
    }

    private CompletableFuture<List<Enqueued>> enqueue(QueueName queue, String... payloads) {
        return lines.enqueue(queue, messages(payloads));
    }

    private EnqueueCall prepare(QueueName name, List<NewMessage> messages) {
        long bytes = 0;
        for (NewMessage message : messages) {
            if (text(message).equals("wrong")) {
                throw ProblemException.invalid("payload: wrong");
            }
            bytes += message.payload().bytes().length;
        }
        Queue queue = new Queue(name.value().hashCode(), name, QueueSettings.DEFAULT, false, 1L, List.of());
        return EnqueueCall.of(queue, messages, false, bytes);
    }

    /** At once, unless a test has it wait. */
    private CompletableFuture<EnqueueCall> classify(EnqueueCall call) {
        return classifications.getOrDefault(text(call.messages().get(0)), CompletableFuture.completedFuture(call));
    }

    private void store(int call) {
        EnqueueCall stored = submitted.get(call);
        stored.answer()
                .complete(
                        stored.ids().stream().map(id -> new Enqueued(id, false)).toList());
    }

    private List<String> payloads(int call) {
        return submitted.get(call).messages().stream()
                .map(EnqueueLinesTests::text)
                .toList();
    }

    private static List<NewMessage> messages(String... payloads) {
        List<NewMessage> messages = new ArrayList<>();
        for (String payload : payloads) {
            Payload body = new Payload(payload.getBytes(StandardCharsets.UTF_8), Payload.Kind.TEXT);
            messages.add(new NewMessage(null, body, Map.of(), null, 1, null, null));
        }
        return messages;
    }

    private static String text(NewMessage message) {
        return new String(message.payload().bytes(), StandardCharsets.UTF_8);
    }

    private static void assertFailed(CompletableFuture<?> answer, ProblemCode code) {
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.handle((result, failure) -> failure).join())
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        problem -> assertThat(problem.code()).isEqualTo(code));
    }
}
