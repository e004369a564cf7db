package io.fila.broker.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class ScriptLinesTests {

    private final ScriptLines lines = new ScriptLines(2);
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        lines.close();
    }

    @Test
    void worksForOneQueueInOrder() {
        CountDownLatch gate = new CountDownLatch(1);
        submit(1, new Steps("first", 1, gate));
        for (int i = 0; i < 50; i++) {
            submit(1, new Steps("call " + i, 3, null));
        }
        assertThat(done).isEmpty();

        gate.countDown();

        await().until(() -> done.size() == 51);
        assertThat(done.get(0)).isEqualTo("first");
        for (int i = 0; i < 50; i++) {
            assertThat(done.get(i + 1)).isEqualTo("call " + i);
        }
    }

    @Test
    void goesOnWithOtherQueuesWhileOneTakesLong() {
        CountDownLatch gate = new CountDownLatch(1);
        submit(1, new Steps("slow", 1, gate));

        submit(2, new Steps("quick", 1, null));
        await().until(() -> done.contains("quick"));
        assertThat(done).containsExactly("quick");
        gate.countDown();
    }

    /** More slow queues than threads: none of them keeps a thread, however much it has to do. */
    @Test
    void letsQueuesTakeTurns() {
        for (int queue = 1; queue <= 4; queue++) {
            submit(queue, new Steps("endless " + queue, Integer.MAX_VALUE, null));
        }

        submit(5, new Steps("quick", 1, null));

        await().atMost(Duration.ofSeconds(5)).until(() -> done.contains("quick"));
    }

    @Test
    void failsWorkThatThrowsAndGoesOn() {
        Steps broken = new Steps("broken", 1, null) {
            @Override
            public boolean step() {
                throw new StackOverflowError();
            }
        };
        submit(1, broken);
        submit(1, new Steps("next", 1, null));

        await().until(() -> done.contains("next"));
        assertThat(broken.failure).isCompleted();
    }

    @Test
    void refusesWhatIsTooMuchForOneQueueAndNotForAnother() {
        CountDownLatch gate = new CountDownLatch(1);
        submit(1, new Steps("slow", 1, gate));
        Steps large = new Steps("large", 1, null);
        large.weight = 15 << 20;
        submit(1, large);

        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> submit(1, large))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.RATE_LIMITED));
        submit(2, large);
        gate.countDown();
    }

    @Test
    void failsWhatHasWaitedWhenItCloses() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        submit(1, new Steps("slow", 1, gate));
        Steps waiting = new Steps("waiting", 1, null);
        submit(1, waiting);
        gate.countDown();

        lines.close();

        boolean isDone = done.contains("waiting");
        assertThat(isDone || waiting.failure.get(5, TimeUnit.SECONDS) instanceof ProblemException)
                .isTrue();
        assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> submit(1, waiting));
    }

    private void submit(long queueId, ScriptLines.Work work) {
        lines.submit(new QueueScript(queueId, "queue-" + queueId, Hook.ON_ENQUEUE, ""), work);
    }

    private class Steps implements ScriptLines.Work {

        final CompletableFuture<RuntimeException> failure = new CompletableFuture<>();
        long weight = 1;

        private final String name;
        private final CountDownLatch gate;
        private int left;

        Steps(String name, int steps, CountDownLatch gate) {
            this.name = name;
            this.left = steps;
            this.gate = gate;
        }

        @Override
        public long weight() {
            return weight;
        }

        @Override
        public boolean step() {
            try {
                if (gate != null) {
                    gate.await();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (--left == 0) {
                done.add(name);
            }
            return left > 0;
        }

        @Override
        public void fail(RuntimeException problem) {
            failure.complete(problem);
        }
    }
}
