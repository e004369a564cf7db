package io.fila.broker.grpc;

import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.protocol.v1.DeclareQueueRequest;
import io.fila.protocol.v1.DeclareQueueResponse;
import io.fila.protocol.v1.QueueServiceGrpc.QueueServiceImplBase;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Queues over gRPC: what an application needs at its start. The rest is REST's. */
@GrpcService
class QueueGrpcService extends QueueServiceImplBase {

    private final Queues queues;

    QueueGrpcService(Queues queues) {
        this.queues = queues;
    }

    @Override
    public void declareQueue(DeclareQueueRequest request, StreamObserver<DeclareQueueResponse> answer) {
        try {
            boolean created = queues.declare(
                    QueueName.forCreation(request.getQueue()), FromProtocol.settings(request.getSettings()));
            answer.onNext(DeclareQueueResponse.newBuilder().setCreated(created).build());
            answer.onCompleted();
        } catch (RuntimeException e) {
            answer.onError(GrpcProblems.of(e));
        }
    }
}
