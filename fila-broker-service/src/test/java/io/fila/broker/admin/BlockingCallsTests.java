package io.fila.broker.admin;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The pool that blocking calls run on is bounded, and so is what waits for it. */
class BlockingCallsTests {

    private final BlockingCalls calls = new BlockingCalls(
            new RestProperties(DataSize.ofMegabytes(1), DataSize.ofMegabytes(1), DataSize.ofMegabytes(1), 1, 1));

    private final CountDownLatch free = new CountDownLatch(1);

    @AfterEach
    void stop() {
        free.countDown();
        calls.destroy();
    }

    @Test
    void refusesAtOnceWhenFull() {
        Mono<Boolean> blocking = calls.call(() -> {
            free.await();
            return true;
        });
        Mono<Boolean> running = blocking.cache();
        Mono<Boolean> waiting = blocking.cache();
        running.subscribe();
        waiting.subscribe();

        assertThatThrownBy(() -> blocking.block(Duration.ofSeconds(5))).isInstanceOf(RejectedExecutionException.class);

        free.countDown();
        assertThat(running.block(Duration.ofSeconds(5))).isTrue();
        assertThat(waiting.block(Duration.ofSeconds(5))).isTrue();
    }

    @Test
    void runsWhereBlockingIsAllowed() {
        assertThat(calls.call(() -> !Schedulers.isInNonBlockingThread()
                                && Thread.currentThread().getName().startsWith("fila-rest-"))
                        .block())
                .isTrue();
    }
}
