package io.fila.broker.grpc;

import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;

import io.fila.broker.pacing.PermitAnswer;
import io.fila.broker.pacing.Permits;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.ThrottleServiceGrpc.ThrottleServiceImplBase;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Permits over gRPC. */
@GrpcService
class ThrottleGrpcService extends ThrottleServiceImplBase {

    private static final int THREADS = 8;
    private static final int WAITING = 512;

    private final Permits permits;

    /** Bounded, or callers could keep every connection to the database from those who deliver. */
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            new CustomizableThreadFactory("fila-permits-grpc-"));

    ThrottleGrpcService(Permits permits) {
        this.permits = permits;
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public void acquirePermits(AcquirePermitsRequest request, StreamObserver<AcquirePermitsResponse> answer) {
        try {
            executor.execute(() -> acquire(request, answer));
        } catch (RejectedExecutionException e) {
            answer.onError(GrpcProblems.of(new ProblemException(
                    ProblemCode.STORAGE_UNAVAILABLE,
                    "the broker has as many requests as it can work on; try again",
                    null,
                    e)));
        }
    }

    private void acquire(AcquirePermitsRequest request, StreamObserver<AcquirePermitsResponse> answer) {
        if (answer instanceof ServerCallStreamObserver<AcquirePermitsResponse> call && call.isCancelled()) {
            // it waited for so long that nobody waits for it any more: nothing is to be counted
            return;
        }
        try {
            permits.acquire(
                    request.getThrottle(),
                    request.getKeyList(),
                    request.getPermits() == 0 ? 1 : request.getPermits(),
                    permit -> {
                        answer.onNext(response(permit));
                        answer.onCompleted();
                    });
        } catch (RuntimeException e) {
            answer.onError(GrpcProblems.of(e));
        }
    }

    private static AcquirePermitsResponse response(PermitAnswer answer) {
        Instant roomAt = answer.roomAt();
        return roomAt == null
                ? AcquirePermitsResponse.newBuilder().setGranted(true).build()
                : AcquirePermitsResponse.newBuilder()
                        .setRoomAt(ToProtocol.timestamp(roomAt))
                        .build();
    }

    @PreDestroy
    void close() {
        executor.shutdown();
    }
}
