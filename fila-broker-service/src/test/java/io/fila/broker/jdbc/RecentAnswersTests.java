package io.fila.broker.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RecentAnswersTests {

    private static final Duration AGE = Duration.ofMillis(500);

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger computed = new AtomicInteger();

    @Test
    void givesTheSameAnswerForAWhile() {
        RecentAnswers<String, Integer> answers = answers();

        assertThat(answers.get("a")).isEqualTo(1);
        now.addAndGet(AGE.toNanos() - 1);
        assertThat(answers.get("a")).isEqualTo(1);
        now.addAndGet(1);
        assertThat(answers.get("a")).isEqualTo(2);
    }

    @Test
    void forgetsWhenTold() {
        RecentAnswers<String, Integer> answers = answers();

        assertThat(answers.get("a")).isEqualTo(1);
        answers.forget("a");
        assertThat(answers.get("a")).isEqualTo(2);
    }

    @Test
    void computesDifferentAnswersByThemselves() {
        RecentAnswers<String, Integer> answers = answers();

        assertThat(answers.get("a")).isEqualTo(1);
        assertThat(answers.get("b")).isEqualTo(2);
        assertThat(answers.get("a")).isEqualTo(1);
    }

    @Test
    void computesOnceForAllWhoAskMeanwhile() {
        CountDownLatch computing = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        RecentAnswers<String, Integer> answers = new RecentAnswers<>(
                AGE,
                key -> {
                    computing.countDown();
                    await(finish);
                    return computed.incrementAndGet();
                },
                answer -> 1,
                100,
                now::get);
        CompletableFuture<Integer> first = ask(answers);
        await(computing);
        List<CompletableFuture<Integer>> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(ask(answers));
        }

        finish.countDown();

        assertThat(first.join()).isEqualTo(1);
        assertThat(others).allSatisfy(other -> assertThat(other.join()).isEqualTo(1));
    }

    @Test
    void doesNotRememberAFailure() {
        RecentAnswers<String, Integer> answers = new RecentAnswers<>(
                AGE,
                key -> {
                    if (computed.incrementAndGet() == 1) {
                        throw new IllegalStateException("no database");
                    }
                    return computed.get();
                },
                answer -> 1,
                100,
                now::get);

        assertThatIllegalStateException().isThrownBy(() -> answers.get("a")).withMessage("no database");
        assertThat(answers.get("a")).isEqualTo(2);
    }

    @Test
    void sharesAFailureWithThoseWhoWaitForIt() {
        CountDownLatch computing = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        RecentAnswers<String, Integer> answers = new RecentAnswers<>(
                AGE,
                key -> {
                    computing.countDown();
                    await(finish);
                    throw new IllegalStateException("failure " + computed.incrementAndGet());
                },
                answer -> 1,
                100,
                now::get);
        CompletableFuture<Integer> first = ask(answers);
        await(computing);
        CompletableFuture<Integer> second = new CompletableFuture<>();
        Thread waiting = new Thread(() -> second.completeAsync(() -> answers.get("a"), Runnable::run));
        waiting.start();
        Awaitility.await().until(() -> waiting.getState() == Thread.State.WAITING);

        finish.countDown();

        assertThat(first)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("failure 1");
        assertThat(second)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("failure 1");
    }

    private RecentAnswers<String, Integer> answers() {
        return new RecentAnswers<>(AGE, key -> computed.incrementAndGet(), answer -> 1, 100, now::get);
    }

    private static CompletableFuture<Integer> ask(RecentAnswers<String, Integer> answers) {
        return CompletableFuture.supplyAsync(() -> answers.get("a"), task -> new Thread(task).start());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
