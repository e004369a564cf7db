package io.fila.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/** The one answer of a unary call as a future, and the blocking wait for one. */
final class Answers<T> implements StreamObserver<T> {

    private final CompletableFuture<T> future = new CompletableFuture<>();
    /** Written and read by the call's own callbacks, which are serial. */
    private @Nullable T answer;

    CompletableFuture<T> future() {
        return future;
    }

    @Override
    public void onNext(T value) {
        answer = value;
    }

    @Override
    public void onError(Throwable error) {
        future.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
        T value = answer;
        if (value == null) {
            future.completeExceptionally(Status.INTERNAL
                    .withDescription("the call ended without an answer")
                    .asRuntimeException());
        } else {
            future.complete(value);
        }
    }

    /** Waits for a future that fails with {@link FilaException} only and that has a timeout of its own. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(false);
            throw interrupted(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FilaException problem) {
                // a new one: it shows the caller's stack, and one problem may have met several callers
                throw new FilaException(problem.code(), problem.getMessage(), problem.isRetryable(), problem);
            }
            throw new IllegalStateException("unexpected failure of a call to the broker", e.getCause());
        }
    }

    /** Waits for the future for so long at most, whatever becomes of it. */
    static void awaitAtMost(Duration patience, CompletableFuture<?> future) {
        try {
            future.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // the caller has waited long enough
        }
    }

    static FilaException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new FilaException(
                "interrupted",
                "the thread was interrupted while waiting for the broker; the call may have been done",
                true,
                cause);
    }
}
