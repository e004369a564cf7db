package io.fila.broker.grpc;

import io.fila.broker.message.Messages;
import io.fila.broker.problem.Ids;
import io.fila.broker.queue.QueueName;
import io.fila.protocol.v1.CancelMessageRequest;
import io.fila.protocol.v1.CancelMessageResponse;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.fila.protocol.v1.GetMessageRequest;
import io.fila.protocol.v1.GetMessageResponse;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.MessageServiceGrpc.MessageServiceImplBase;
import io.grpc.stub.StreamObserver;
import org.springframework.grpc.server.service.GrpcService;

/** Messages over gRPC: enqueued, looked at, cancelled. */
@GrpcService
class MessageGrpcService extends MessageServiceImplBase {

    private final Messages messages;
    private final EnqueueStreams streams;
    private final BlockingCalls calls;

    MessageGrpcService(Messages messages, EnqueueStreams streams, BlockingCalls administration) {
        this.messages = messages;
        this.streams = streams;
        this.calls = administration;
    }

    @Override
    public void enqueue(EnqueueRequest request, StreamObserver<EnqueueResponse> answer) {
        try {
            messages.enqueue(QueueName.of(request.getQueue()), FromProtocol.messages(request))
                    .whenComplete((results, failure) -> {
                        if (failure != null) {
                            answer.onError(GrpcProblems.of(failure));
                        } else {
                            answer.onNext(MessagesToProtocol.results(results));
                            answer.onCompleted();
                        }
                    });
        } catch (RuntimeException e) {
            answer.onError(GrpcProblems.of(e));
        }
    }

    @Override
    public StreamObserver<EnqueueRequest> enqueueStream(StreamObserver<EnqueueStreamResponse> answers) {
        return streams.open(answers);
    }

    @Override
    public void getMessage(GetMessageRequest request, StreamObserver<GetMessageResponse> answer) {
        calls.answer(
                answer,
                () -> GetMessageResponse.newBuilder()
                        .setMessage(MessagesToProtocol.message(messages.get(Ids.parse("id", request.getId()))))
                        .build());
    }

    @Override
    public void listMessages(ListMessagesRequest request, StreamObserver<ListMessagesResponse> answer) {
        calls.answer(
                answer,
                () -> MessagesToProtocol.page(messages.list(
                        QueueName.of(request.getQueue()),
                        FromProtocol.state(request),
                        request.getLimit() == 0 ? Messages.USUAL_PAGE : request.getLimit(),
                        request.hasAfter() ? request.getAfter() : null)));
    }

    @Override
    public void cancelMessage(CancelMessageRequest request, StreamObserver<CancelMessageResponse> answer) {
        calls.answer(answer, () -> {
            messages.cancel(
                    Ids.parse("id", request.getId()), request.hasQueue() ? QueueName.of(request.getQueue()) : null);
            return CancelMessageResponse.getDefaultInstance();
        });
    }
}
