package io.fila.broker.grpc;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Runs what may block on a bounded pool of its own, or callers could keep every connection to the database from those who deliver.
 * When the pool and its queue are full a call fails at once; one whose caller has gone before its turn is not carried out; one that
 * runs is never interrupted: its caller may go, its transaction goes on.
 */
final class BlockingCalls implements AutoCloseable {

    private final ThreadPoolExecutor executor;

    /** @param waiting how many calls may wait for one of the threads */
    BlockingCalls(String threadPrefix, int threads, int waiting) {
        this.executor = new ThreadPoolExecutor(
                threads,
                threads,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(waiting),
                new CustomizableThreadFactory(threadPrefix));
        executor.allowCoreThreadTimeOut(true);
    }

    /** Answers with what {@code work} returns, or with the problem that it throws. */
    <A> void answer(StreamObserver<A> answer, Supplier<A> work) {
        run(answer, () -> {
            answer.onNext(work.get());
            answer.onCompleted();
        });
    }

    /** Has {@code work} answer the call; answers with the problem that it throws. */
    void run(StreamObserver<?> answer, Runnable work) {
        try {
            executor.execute(() -> runUnlessGone(answer, work));
        } catch (RejectedExecutionException e) {
            answer.onError(GrpcProblems.of(new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE,
                    "the broker has as many requests as it can work on; try again",
                    Duration.ofSeconds(1),
                    e)));
        }
    }

    private static void runUnlessGone(StreamObserver<?> answer, Runnable work) {
        if (answer instanceof ServerCallStreamObserver<?> call && call.isCancelled()) {
            // it waited for so long that nobody waits for it any more: nothing is to be done, or counted
            return;
        }
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            answer.onError(GrpcProblems.of(e));
        }
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
