package io.fila.client;

import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.Subscription;
import io.fila.protocol.v1.SubscriptionServiceGrpc.SubscriptionServiceStub;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC stream of a subscription. Makes its sending side safe for several threads, and asks for the next frame only once the
 * previous one has been dealt with. Its events are serial.
 */
final class SubscriptionStream implements ClientResponseObserver<SubscribeRequest, SubscribeResponse> {

    /** Where the events of a stream go. */
    interface Events {

        void onFrame(SubscriptionStream stream, SubscribeResponse frame);

        /** Room to send has come back. */
        void onReady(SubscriptionStream stream);

        /** Once, after everything else; also after {@link #cancel}, unless the stream had not been opened. */
        void onEnd(SubscriptionStream stream, Throwable cause);
    }

    private final Events events;

    // guarded by this
    private @Nullable ClientCallStreamObserver<SubscribeRequest> requests;
    private boolean ended;

    SubscriptionStream(Events events) {
        this.events = events;
    }

    synchronized void open(SubscriptionServiceStub service, Subscription subscription) {
        if (!ended) {
            service.subscribe(this);
            send(SubscribeRequest.newBuilder().setOpen(subscription).build());
        }
    }

    @Override
    public synchronized void beforeStart(ClientCallStreamObserver<SubscribeRequest> stream) {
        requests = stream;
        stream.disableAutoRequestWithInitial(1);
        stream.setOnReadyHandler(() -> events.onReady(this));
    }

    synchronized boolean isReady() {
        return requests != null && !ended && requests.isReady();
    }

    synchronized void send(SubscribeRequest frame) {
        if (requests != null && !ended) {
            requests.onNext(frame);
        }
    }

    synchronized void halfClose() {
        if (requests != null && !ended) {
            ended = true;
            requests.onCompleted();
        }
    }

    synchronized void cancel(String reason) {
        ended = true;
        if (requests != null) {
            requests.cancel(reason, null);
        }
    }

    @Override
    public void onNext(SubscribeResponse frame) {
        events.onFrame(this, frame);
        requestNext();
    }

    private synchronized void requestNext() {
        if (requests != null) {
            requests.request(1);
        }
    }

    @Override
    public void onError(Throwable error) {
        end(error);
    }

    @Override
    public void onCompleted() {
        end(Status.UNAVAILABLE
                .withDescription("the broker ended the subscription")
                .asRuntimeException());
    }

    private void end(Throwable cause) {
        synchronized (this) {
            ended = true;
        }
        events.onEnd(this, cause);
    }
}
