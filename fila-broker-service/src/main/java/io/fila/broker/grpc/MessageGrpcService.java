package io.fila.broker.grpc;

import java.util.ArrayList;
import java.util.List;

import io.fila.broker.message.Enqueued;
import io.fila.broker.message.Messages;
import io.fila.broker.message.NewMessage;
import io.fila.broker.queue.QueueName;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;
import io.fila.protocol.v1.EnqueueResult;
import io.fila.protocol.v1.MessageServiceGrpc.MessageServiceImplBase;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Enqueue over gRPC. */
@GrpcService
class MessageGrpcService extends MessageServiceImplBase {

    private final Messages messages;

    MessageGrpcService(Messages messages) {
        this.messages = messages;
    }

    @Override
    public void enqueue(EnqueueRequest request, StreamObserver<EnqueueResponse> answer) {
        try {
            List<NewMessage> given = new ArrayList<>(request.getMessagesCount());
            for (int i = 0; i < request.getMessagesCount(); i++) {
                String at = request.getMessagesCount() == 1 ? "" : "messages[" + i + "].";
                given.add(FromProtocol.message(at, request.getMessages(i)));
            }
            messages.enqueue(QueueName.of(request.getQueue()), given).whenComplete((results, failure) -> {
                if (failure != null) {
                    answer.onError(GrpcProblems.of(failure));
                } else {
                    answer.onNext(response(results));
                    answer.onCompleted();
                }
            });
        } catch (RuntimeException e) {
            answer.onError(GrpcProblems.of(e));
        }
    }

    private static EnqueueResponse response(List<Enqueued> results) {
        EnqueueResponse.Builder response = EnqueueResponse.newBuilder();
        for (Enqueued result : results) {
            response.addResults(
                    EnqueueResult.newBuilder().setId(result.id().toString()).setDuplicate(result.duplicate()));
        }
        return response.build();
    }
}
