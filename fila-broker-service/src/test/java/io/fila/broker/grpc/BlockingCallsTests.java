package io.fila.broker.grpc;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.problem.ProblemException;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

class BlockingCallsTests {

    private final BlockingCalls calls = new BlockingCalls("test-", 1, 1);
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        calls.close();
    }

    @Test
    void answersWithWhatTheWorkReturns() {
        ServerCallStreamObserver<String> answer = answer();
        calls.answer(answer, () -> "done");

        verify(answer, timeout(10_000)).onCompleted();
        var order = inOrder(answer);
        order.verify(answer).onNext("done");
        order.verify(answer).onCompleted();
    }

    @Test
    void answersWithTheProblemThatTheWorkThrows() {
        ServerCallStreamObserver<String> answer = answer();
        calls.answer(answer, () -> {
            throw ProblemException.invalid("limit: expected 1, got 2");
        });

        assertRefused(problem(answer), Status.Code.INVALID_ARGUMENT, "invalid-request", "limit: expected 1, got 2");
        verify(answer, never()).onNext(any());
    }

    @Test
    void refusesAtOnceWhenAsManyAsItTakesAreWaiting() {
        calls.run(answer(), this::awaitGate);
        calls.run(answer(), this::awaitGate);
        ServerCallStreamObserver<String> third = answer();
        calls.answer(third, () -> "never");

        assertRefused(problem(third), Status.Code.UNAVAILABLE, "storage-unavailable", "as many requests");
    }

    /** It would be done, or counted, for nobody. */
    @Test
    void leavesACallWhoseCallerHasGone() {
        AtomicInteger done = new AtomicInteger();
        calls.run(answer(), this::awaitGate);
        ServerCallStreamObserver<String> gone = answer();
        given(gone.isCancelled()).willReturn(true);
        calls.run(gone, done::incrementAndGet);
        gate.countDown();
        verify(gone, timeout(10_000)).isCancelled();
        ServerCallStreamObserver<String> next = answer();
        calls.answer(next, () -> "done");

        verify(next, timeout(10_000)).onCompleted();
        assertThat(done).hasValue(0);
    }

    private void awaitGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Throwable problem(ServerCallStreamObserver<String> answer) {
        ArgumentCaptor<Throwable> problem = ArgumentCaptor.forClass(Throwable.class);
        verify(answer, timeout(10_000)).onError(problem.capture());
        return problem.getValue();
    }

    @SuppressWarnings("unchecked")
    private static ServerCallStreamObserver<String> answer() {
        return mock(ServerCallStreamObserver.class);
    }
}
