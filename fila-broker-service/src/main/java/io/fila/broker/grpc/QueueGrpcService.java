package io.fila.broker.grpc;

import io.fila.broker.message.Redrives;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.stats.Overviews;
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
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Queues over gRPC: declared, looked at, changed, paused, purged, deleted, and their dead letters brought back. */
@GrpcService
class QueueGrpcService extends QueueServiceImplBase {

    private final Queues queues;
    private final Redrives redrives;
    private final Overviews overviews;
    private final BlockingCalls calls;
    private final BlockingCalls longCalls;

    QueueGrpcService(
            Queues queues,
            Redrives redrives,
            Overviews overviews,
            BlockingCalls administration,
            BlockingCalls removal) {
        this.queues = queues;
        this.redrives = redrives;
        this.overviews = overviews;
        this.calls = administration;
        this.longCalls = removal;
    }

    @Override
    public void declareQueue(DeclareQueueRequest request, StreamObserver<DeclareQueueResponse> answer) {
        calls.answer(answer, () -> {
            boolean created = queues.declare(
                    QueueName.forCreation(request.getQueue()), FromProtocol.settings(request.getSettings()));
            return DeclareQueueResponse.newBuilder().setCreated(created).build();
        });
    }

    @Override
    public void getQueue(GetQueueRequest request, StreamObserver<GetQueueResponse> answer) {
        calls.answer(
                answer,
                () -> GetQueueResponse.newBuilder()
                        .setQueue(QueuesToProtocol.queue(overviews.queue(QueueName.of(request.getQueue()))))
                        .build());
    }

    @Override
    public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> answer) {
        calls.answer(answer, () -> {
            ListQueuesResponse.Builder response = ListQueuesResponse.newBuilder();
            overviews.queues().forEach(queue -> response.addQueues(QueuesToProtocol.queue(queue)));
            return response.build();
        });
    }

    @Override
    public void changeQueue(ChangeQueueRequest request, StreamObserver<ChangeQueueResponse> answer) {
        calls.answer(
                answer,
                () -> ChangeQueueResponse.newBuilder()
                        .setQueue(QueuesToProtocol.queue(
                                queues.change(QueueName.of(request.getQueue()), FromProtocol.change(request))))
                        .build());
    }

    @Override
    public void pauseQueue(PauseQueueRequest request, StreamObserver<PauseQueueResponse> answer) {
        calls.answer(
                answer,
                () -> PauseQueueResponse.newBuilder()
                        .setQueue(paused(request.getQueue(), true))
                        .build());
    }

    @Override
    public void resumeQueue(ResumeQueueRequest request, StreamObserver<ResumeQueueResponse> answer) {
        calls.answer(
                answer,
                () -> ResumeQueueResponse.newBuilder()
                        .setQueue(paused(request.getQueue(), false))
                        .build());
    }

    @Override
    public void purgeQueue(PurgeQueueRequest request, StreamObserver<PurgeQueueResponse> answer) {
        longCalls.answer(
                answer,
                () -> PurgeQueueResponse.newBuilder()
                        .setPurged(queues.purge(QueueName.of(request.getQueue())))
                        .build());
    }

    @Override
    public void deleteQueue(DeleteQueueRequest request, StreamObserver<DeleteQueueResponse> answer) {
        longCalls.answer(answer, () -> {
            queues.delete(QueueName.of(request.getQueue()), request.getForce());
            return DeleteQueueResponse.getDefaultInstance();
        });
    }

    @Override
    public void redriveQueue(RedriveQueueRequest request, StreamObserver<RedriveQueueResponse> answer) {
        longCalls.answer(
                answer,
                () -> QueuesToProtocol.redriven(redrives.redrive(
                        QueueName.of(request.getQueue()),
                        request.getCount() == 0 ? Redrives.DEFAULT_COUNT : FromProtocol.count(request),
                        FromProtocol.reclassify(request))));
    }

    private io.fila.protocol.v1.Queue paused(String queue, boolean paused) {
        QueueName name = QueueName.of(queue);
        queues.setPaused(name, paused);
        return QueuesToProtocol.queue(queues.get(name));
    }
}
