package io.fila.broker.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** What callers hear of a batcher whose work does not answer. */
class BatcherTests {

    private static final Duration PATIENCE = Duration.ofMillis(200);

    /** Calls whose work has begun. */
    private final LinkedBlockingQueue<Call> begun = new LinkedBlockingQueue<>();

    private final LinkedBlockingQueue<Call> done = new LinkedBlockingQueue<>();
    private final CountDownLatch answers = new CountDownLatch(1);
    private final Batcher<Call> batcher =
            new Batcher<>("test", new Batcher.Bounds(1, 1, 3, PATIENCE), batch -> batch.forEach(this::work));

    private record Call(CompletableFuture<String> answer) implements Batcher.Call {

        Call() {
            this(new CompletableFuture<>());
        }

        @Override
        public long weight() {
            return 1;
        }

        @Override
        public void fail(RuntimeException problem) {
            answer.completeExceptionally(problem);
        }

        @Override
        public String inDoubt() {
            return "in doubt";
        }

        ProblemException problem() {
            return catchThrowableOfType(ProblemException.class, () -> {
                try {
                    answer.orTimeout(30, TimeUnit.SECONDS).join();
                } catch (java.util.concurrent.CompletionException e) {
                    throw e.getCause();
                }
            });
        }
    }

    @AfterEach
    void close() {
        answers.countDown();
        batcher.close();
    }

    @Test
    void tellsThatNobodyKnowsOfACallUnderWay() throws InterruptedException {
        Call call = submit();
        begun.take();

        assertThat(call.problem()).hasMessage("in doubt");
        assertThat(call.problem().code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE);
    }

    /** The worker ended with the error, its calls were never answered, and those after them only waited. */
    @Test
    void failsTheCallsOfABatchThatEndsInAnErrorAndGoesOn() {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Batcher.Work<Call> fragile = batch -> {
            if (isFirst.getAndSet(false)) {
                throw new StackOverflowError();
            }
            batch.forEach(call -> call.answer().complete("done"));
        };
        try (Batcher<Call> one =
                new Batcher<>("fragile", new Batcher.Bounds(1, 1, 3, Duration.ofMinutes(1)), fragile)) {
            Call first = new Call();
            one.submit(first);
            assertThat(first.answer().orTimeout(10, TimeUnit.SECONDS))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withRootCauseInstanceOf(StackOverflowError.class);

            Call second = new Call();
            one.submit(second);
            assertThat(second.answer().orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("done");
        }
    }

    @Test
    void takesBackACallThatWaits() throws InterruptedException {
        submit();
        begun.take();
        Call waiting = submit();

        assertThat(waiting.problem()).hasMessageContaining("nothing was done");
        answers.countDown();
        Call next = submit();
        assertThat(next.answer().orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("done");
        assertThat(begun).containsExactly(next);
    }

    @Test
    void goesOnWithWorkWhoseCallerHasBeenTold() throws InterruptedException {
        Call call = submit();
        assertThat(call.problem()).hasMessage("in doubt");

        answers.countDown();

        assertThat(done.poll(30, TimeUnit.SECONDS)).isSameAs(call);
    }

    @Test
    void refusesMoreThanMayWaitAndRecovers() throws InterruptedException {
        submit();
        begun.take();
        List<Call> waiting = List.of(submit(), submit(), submit());

        assertThat(catchThrowableOfType(ProblemException.class, this::submit).code())
                .isEqualTo(ProblemCode.RATE_LIMITED);
        assertThat(waiting).allSatisfy(call -> assertThat(call.problem()).hasMessageContaining("nothing was done"));
        answers.countDown();
        assertThat(submit().answer().orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("done");
    }

    @Test
    void watchesAgainAfterItHadNothingToWatch() throws InterruptedException {
        assertThat(submit().problem()).hasMessage("in doubt");
        assertThat(submit().problem()).hasMessageContaining("nothing was done");
        assertThat(submit().problem()).hasMessageContaining("nothing was done");
    }

    private Call submit() {
        Call call = new Call();
        batcher.submit(call);
        return call;
    }

    private void work(Call call) {
        begun.add(call);
        try {
            answers.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        call.answer().complete("done");
        done.add(call);
    }
}
