package io.fila.broker.admin;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.fila.broker.jdbc.Database;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Runs what may block on a bounded pool, off the event loops. When the pool and its queue are full a call fails at once with
 * {@code RejectedExecutionException}. A call that runs is never interrupted: its client may go, its transaction goes on.
 */
@Component
class BlockingCalls implements DisposableBean {

    /** Longer than the database is given, so that a call fails by what is known of it. */
    private static final Duration PATIENCE = Database.PATIENCE.plusMillis(500);

    private final ThreadPoolExecutor executor;

    BlockingCalls(RestProperties properties) {
        this.executor = new ThreadPoolExecutor(
                properties.threads(),
                properties.threads(),
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(properties.queueCapacity()),
                new CustomizableThreadFactory("fila-rest-"));
        executor.allowCoreThreadTimeOut(true);
    }

    /** What {@code work} returns. */
    <T> Mono<T> call(Callable<T> work) {
        return reply(reply -> reply.success(work.call()));
    }

    /** Completes when {@code work} is done. */
    Mono<Void> run(Runnable work) {
        return reply(reply -> {
            work.run();
            reply.done();
        });
    }

    /**
     * What the future that {@code work} starts completes with; waiting for it takes no thread. Fails when that has not happened in
     * time, perhaps since others keep the pool busy; the work goes on.
     */
    <T> Mono<T> await(Supplier<CompletableFuture<T>> work) {
        return replyInTime(reply -> work.get().whenComplete((value, failure) -> {
            if (failure == null) {
                reply.success(value);
            } else {
                reply.fail(failure);
            }
        }));
    }

    /** Like {@link #reply}, but fails when there is no answer in time, perhaps since others keep the pool busy; the work goes on. */
    <T> Mono<T> replyInTime(Work<T> work) {
        return reply(work).timeout(PATIENCE, Mono.error(BlockingCalls::tooLate));
    }

    private static ProblemException tooLate() {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "the broker could not do this in time, so it may have been done, or be done yet; look before trying again",
                Duration.ofSeconds(1),
                null);
    }

    /** What {@code work} gives to its reply, now or later, on whatever thread. */
    <T> Mono<T> reply(Work<T> work) {
        return Mono.create(sink -> {
            Reply<T> reply = new Reply<>(sink);
            executor.execute(() -> reply.answerWith(work));
        });
    }

    @Override
    public void destroy() {
        executor.shutdown();
    }

    /** Work that answers through a reply. */
    interface Work<T> {
        void run(Reply<T> reply) throws Exception;
    }
}
