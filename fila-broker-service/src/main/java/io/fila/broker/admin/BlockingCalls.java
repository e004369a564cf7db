package io.fila.broker.admin;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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

    /** What the future that {@code work} starts completes with; waiting for it takes no thread. */
    <T> Mono<T> await(Supplier<CompletableFuture<T>> work) {
        return reply(reply -> work.get().whenComplete((value, failure) -> {
            if (failure == null) {
                reply.success(value);
            } else {
                reply.fail(failure);
            }
        }));
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
