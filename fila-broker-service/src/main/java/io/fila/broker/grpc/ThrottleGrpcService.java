package io.fila.broker.grpc;

import java.time.Instant;

import jakarta.annotation.PreDestroy;

import io.fila.broker.pacing.PermitAnswer;
import io.fila.broker.pacing.Permits;
import io.fila.broker.problem.Names;
import io.fila.broker.stats.Overviews;
import io.fila.broker.stats.Stats;
import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.GetBucketRequest;
import io.fila.protocol.v1.GetBucketResponse;
import io.fila.protocol.v1.GetThrottleRequest;
import io.fila.protocol.v1.GetThrottleResponse;
import io.fila.protocol.v1.ListThrottlesRequest;
import io.fila.protocol.v1.ListThrottlesResponse;
import io.fila.protocol.v1.ThrottleServiceGrpc.ThrottleServiceImplBase;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Throttles over gRPC: permits of them, and what they hold. */
@GrpcService
class ThrottleGrpcService extends ThrottleServiceImplBase {

    private static final int THREADS = 3;
    private static final int WAITING = 512;

    private final Permits permits;

    /** Of their own: nobody who administers makes them wait. */
    private final BlockingCalls permitCalls = new BlockingCalls("fila-permits-grpc-", THREADS, WAITING);

    private final Stats stats;
    private final Overviews overviews;
    private final BlockingCalls calls;

    ThrottleGrpcService(Permits permits, Stats stats, Overviews overviews, BlockingCalls administration) {
        this.permits = permits;
        this.stats = stats;
        this.overviews = overviews;
        this.calls = administration;
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

    @Override
    public void getThrottle(GetThrottleRequest request, StreamObserver<GetThrottleResponse> answer) {
        calls.answer(answer, () -> {
            int topBuckets = request.hasTopBuckets() ? request.getTopBuckets() : Stats.USUAL_TOP_BUCKETS;
            return GetThrottleResponse.newBuilder()
                    .setThrottle(ThrottlesToProtocol.throttle(
                            stats.throttle(Names.require("throttle", request.getThrottle()), topBuckets)))
                    .build();
        });
    }

    @Override
    public void listThrottles(ListThrottlesRequest request, StreamObserver<ListThrottlesResponse> answer) {
        calls.answer(answer, () -> {
            ListThrottlesResponse.Builder response = ListThrottlesResponse.newBuilder();
            overviews.throttles().forEach(throttle -> response.addThrottles(ThrottlesToProtocol.throttle(throttle)));
            return response.build();
        });
    }

    @Override
    public void getBucket(GetBucketRequest request, StreamObserver<GetBucketResponse> answer) {
        calls.answer(
                answer,
                () -> GetBucketResponse.newBuilder()
                        .setBucket(ThrottlesToProtocol.bucket(
                                stats.bucket(Names.require("throttle", request.getThrottle()), request.getKeyList())))
                        .build());
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
