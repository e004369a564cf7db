package io.fila.broker.grpc;

import io.fila.broker.subscription.Streams;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.SubscriptionServiceGrpc.SubscriptionServiceImplBase;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Subscriptions over gRPC: one stream each. */
@GrpcService
class SubscriptionGrpcService extends SubscriptionServiceImplBase {

    private final Streams streams;

    SubscriptionGrpcService(Streams streams) {
        this.streams = streams;
    }

    @Override
    public StreamObserver<SubscribeRequest> subscribe(StreamObserver<SubscribeResponse> answer) {
        return new SubscriptionCall(streams, (ServerCallStreamObserver<SubscribeResponse>) answer);
    }
}
