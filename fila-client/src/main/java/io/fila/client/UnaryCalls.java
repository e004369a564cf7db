package io.fila.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.grpc.stub.AbstractAsyncStub;
import io.grpc.stub.StreamObserver;

/** Calls with one request and one answer, which fail with {@link FilaException} only. Safe for use by several threads. */
final class UnaryCalls {

    private final BrokerConnection broker;
    private final AtomicBoolean closed;

    /** @param closed whether the client is; written by it */
    UnaryCalls(BrokerConnection broker, AtomicBoolean closed) {
        this.broker = broker;
        this.closed = closed;
    }

    BrokerConnection broker() {
        return broker;
    }

    /** {@code activity} completes "could not …". */
    <S extends AbstractAsyncStub<S>, A> CompletableFuture<A> call(
            String activity, S stub, BiConsumer<S, StreamObserver<A>> method) {
        return call(activity, broker.requestTimeout(), stub, method);
    }

    <S extends AbstractAsyncStub<S>, A> CompletableFuture<A> call(
            String activity, Duration timeout, S stub, BiConsumer<S, StreamObserver<A>> method) {
        if (closed.get()) {
            return CompletableFuture.failedFuture(BrokerErrors.closed(activity));
        }
        Answers<A> answers = new Answers<>();
        method.accept(stub.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS), answers);
        return answers.future()
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(problem(activity, cause(error))));
    }

    private FilaException problem(String activity, Throwable error) {
        FilaException problem = broker.errors().failed(activity, error);
        if (problem.code().equals(BrokerErrors.UNREACHABLE)) {
            broker.reconnectSoon();
        }
        return problem;
    }

    /** What failed, without what a dependent stage wraps it in. */
    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
