package io.fila.broker.grpc;

import java.time.Instant;

import jakarta.annotation.PreDestroy;

import io.fila.broker.pacing.PermitAnswer;
import io.fila.broker.pacing.Permits;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.ThrottleServiceGrpc.ThrottleServiceImplBase;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Permits over gRPC. */
@GrpcService
class ThrottleGrpcService extends ThrottleServiceImplBase {

    private static final int THREADS = 8;
    private static final int WAITING = 512;

    private final Permits permits;

    /** Of their own: nobody who administers makes them wait. */
    private final BlockingCalls permitCalls = new BlockingCalls("fila-permits-grpc-", THREADS, WAITING);

    ThrottleGrpcService(Permits permits) {
        this.permits = permits;
    }

    @Override
    public void acquirePermits(AcquirePermitsRequest request, StreamObserver<AcquirePermitsResponse> answer) {
        permitCalls.run(
                answer,
                () -> permits.acquire(
                        request.getThrottle(),
                        request.getKeyList(),
                        request.getPermits() == 0 ? 1 : request.getPermits(),
                        permit -> {
                            answer.onNext(response(permit));
                            answer.onCompleted();
                        }));
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
        permitCalls.close();
    }
}
