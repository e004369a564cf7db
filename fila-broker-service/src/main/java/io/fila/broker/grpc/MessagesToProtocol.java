package io.fila.broker.grpc;

import java.util.List;

import com.google.protobuf.UnsafeByteOperations;
import io.fila.broker.message.Enqueued;
import io.fila.broker.message.MessageView;
import io.fila.broker.message.Messages;
import io.fila.protocol.v1.EnqueueResponse;
import io.fila.protocol.v1.EnqueueResult;
import io.fila.protocol.v1.Failure;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.Message;
import io.fila.protocol.v1.MessageState;

/** Writes what became of messages, and messages as an administrator sees them. */
final class MessagesToProtocol {

    private MessagesToProtocol() {}

    static EnqueueResponse results(List<Enqueued> results) {
        EnqueueResponse.Builder response = EnqueueResponse.newBuilder();
        for (Enqueued result : results) {
            response.addResults(
                    EnqueueResult.newBuilder().setId(result.id().toString()).setDuplicate(result.duplicate()));
        }
        return response.build();
    }

    static ListMessagesResponse page(Messages.Page page) {
        ListMessagesResponse.Builder response = ListMessagesResponse.newBuilder();
        page.messages().forEach(message -> response.addMessages(message(message)));
        if (page.next() != null) {
            response.setNext(page.next());
        }
        return response.build();
    }

    static Message message(MessageView view) {
        Message.Builder message = Message.newBuilder()
                .setId(view.id().toString())
                .setQueue(view.queue().value())
                .setState(state(view.state()))
                // nobody changes a payload once it is read
                .setPayload(UnsafeByteOperations.unsafeWrap(view.payload().bytes()))
                .setPayloadKind(ToProtocol.kind(view.payload().kind()))
                .putAllHeaders(view.headers())
                .setWeight(view.weight())
                .putAllAttributes(view.attributes())
                .setAttempts(view.attempts())
                .setRedrives(view.redrives())
                .setEnqueuedAt(ToProtocol.timestamp(view.enqueuedAt()));
        if (view.fairnessKey() != null) {
            message.setFairnessKey(view.fairnessKey());
        }
        if (view.notBefore() != null) {
            message.setNotBefore(ToProtocol.timestamp(view.notBefore()));
        }
        if (view.leaseExpiresAt() != null) {
            message.setLeaseExpiresAt(ToProtocol.timestamp(view.leaseExpiresAt()));
        }
        if (view.deadLetteredAt() != null) {
            message.setDeadLetteredAt(ToProtocol.timestamp(view.deadLetteredAt()));
        }
        view.failures().forEach(failure -> message.addFailures(failure(failure)));
        return message.build();
    }

    private static MessageState state(io.fila.broker.message.MessageState state) {
        return switch (state) {
            case READY -> MessageState.MESSAGE_STATE_READY;
            case DELAYED -> MessageState.MESSAGE_STATE_DELAYED;
            case UNCLASSIFIED -> MessageState.MESSAGE_STATE_UNCLASSIFIED;
            case LEASED -> MessageState.MESSAGE_STATE_LEASED;
            case THROTTLED -> MessageState.MESSAGE_STATE_THROTTLED;
        };
    }

    private static Failure failure(MessageView.Failure failure) {
        Failure.Builder builder = Failure.newBuilder()
                .setAttempt(failure.attempt())
                .setReason(failure.reason())
                .setError(failure.error())
                .setAt(ToProtocol.timestamp(failure.at()));
        if (failure.consumer() != null) {
            builder.setConsumer(failure.consumer());
        }
        return builder.build();
    }
}
