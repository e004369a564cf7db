package io.fila.client;

import io.fila.protocol.v1.Failure;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.Message;

/** Messages as an administrator sees them, as public types. */
final class MessagesFromProtocol {

    private MessagesFromProtocol() {}

    static Page page(ListMessagesResponse response) {
        return new Page(
                response.getMessagesList().stream()
                        .map(MessagesFromProtocol::message)
                        .toList(),
                response.hasNext() ? response.getNext() : null);
    }

    static StoredMessage message(Message message) {
        return new StoredMessage(
                message.getId(),
                message.getQueue(),
                state(message.getState()),
                new Payload(message.getPayload().toByteArray(), FromProtocol.kind(message.getPayloadKind())),
                message.getHeadersMap(),
                message.hasFairnessKey() ? message.getFairnessKey() : null,
                message.getWeight(),
                message.getAttributesMap(),
                message.getAttempts(),
                message.getRedrives(),
                FromProtocol.instant(message.getEnqueuedAt()),
                message.hasNotBefore() ? FromProtocol.instant(message.getNotBefore()) : null,
                message.hasLeaseExpiresAt() ? FromProtocol.instant(message.getLeaseExpiresAt()) : null,
                message.hasDeadLetteredAt() ? FromProtocol.instant(message.getDeadLetteredAt()) : null,
                message.getFailuresList().stream()
                        .map(MessagesFromProtocol::failure)
                        .toList());
    }

    private static MessageState state(io.fila.protocol.v1.MessageState state) {
        return switch (state) {
            case MESSAGE_STATE_READY -> MessageState.READY;
            case MESSAGE_STATE_DELAYED -> MessageState.DELAYED;
            case MESSAGE_STATE_UNCLASSIFIED -> MessageState.UNCLASSIFIED;
            case MESSAGE_STATE_LEASED -> MessageState.LEASED;
            case MESSAGE_STATE_THROTTLED -> MessageState.THROTTLED;
            case MESSAGE_STATE_UNSPECIFIED, UNRECOGNIZED -> MessageState.UNKNOWN;
        };
    }

    private static StoredMessage.Failure failure(Failure failure) {
        return new StoredMessage.Failure(
                failure.getAttempt(),
                failure.getReason(),
                failure.getError(),
                failure.hasConsumer() ? failure.getConsumer() : null,
                FromProtocol.instant(failure.getAt()));
    }
}
