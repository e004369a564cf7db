package io.fila.client;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fila.protocol.v1.ChangeQueueRequest;
import io.fila.protocol.v1.ChangeQueueResponse;
import io.fila.protocol.v1.DeclareQueueRequest;
import io.fila.protocol.v1.DeclareQueueResponse;
import io.fila.protocol.v1.DeleteQueueRequest;
import io.fila.protocol.v1.DeleteQueueResponse;
import io.fila.protocol.v1.GetQueueRequest;
import io.fila.protocol.v1.GetQueueResponse;
import io.fila.protocol.v1.ListQueuesRequest;
import io.fila.protocol.v1.ListQueuesResponse;
import io.fila.protocol.v1.PauseQueueRequest;
import io.fila.protocol.v1.PauseQueueResponse;
import io.fila.protocol.v1.PurgeQueueRequest;
import io.fila.protocol.v1.PurgeQueueResponse;
import io.fila.protocol.v1.QueueServiceGrpc.QueueServiceImplBase;
import io.fila.protocol.v1.RedriveQueueRequest;
import io.fila.protocol.v1.RedriveQueueResponse;
import io.fila.protocol.v1.ResumeQueueRequest;
import io.fila.protocol.v1.ResumeQueueResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/** Queues of a fake broker: remembers what is declared, leaves the rest to the test. */
final class FakeQueues extends QueueServiceImplBase {

    final List<DeclareQueueRequest> declared = new CopyOnWriteArrayList<>();
    volatile Status declareRefusal = Status.OK;
    private final FakeAdministration administration;

    FakeQueues(FakeAdministration administration) {
        this.administration = administration;
    }

    @Override
    public void declareQueue(DeclareQueueRequest request, StreamObserver<DeclareQueueResponse> response) {
        declared.add(request);
        if (!declareRefusal.isOk()) {
            response.onError(declareRefusal.asRuntimeException());
            return;
        }
        response.onNext(DeclareQueueResponse.newBuilder().setCreated(true).build());
        response.onCompleted();
    }

    @Override
    public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void getQueue(GetQueueRequest request, StreamObserver<GetQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void changeQueue(ChangeQueueRequest request, StreamObserver<ChangeQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void pauseQueue(PauseQueueRequest request, StreamObserver<PauseQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void resumeQueue(ResumeQueueRequest request, StreamObserver<ResumeQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void purgeQueue(PurgeQueueRequest request, StreamObserver<PurgeQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void deleteQueue(DeleteQueueRequest request, StreamObserver<DeleteQueueResponse> response) {
        administration.administer(request, response);
    }

    @Override
    public void redriveQueue(RedriveQueueRequest request, StreamObserver<RedriveQueueResponse> response) {
        administration.administer(request, response);
    }
}
