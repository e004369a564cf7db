package io.fila.broker.grpc;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import com.google.protobuf.ByteString;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.OutgoingMessage;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;

/** A producer's stream without a client that keeps to the protocol. */
final class RawProducer extends RawClient.Received<EnqueueStreamResponse>
        implements ClientResponseObserver<EnqueueRequest, EnqueueStreamResponse> {

    private final boolean reads;
    private final Semaphore becameReady = new Semaphore(0);
    private ClientCallStreamObserver<EnqueueRequest> out;

    private RawProducer(boolean reads) {
        this.reads = reads;
    }

    static RawProducer open(ManagedChannel channel) {
        return open(channel, true);
    }

    /** One that does not read answers until {@link #read} unless {@code reads}. */
    static RawProducer open(ManagedChannel channel, boolean reads) {
        RawProducer producer = new RawProducer(reads);
        MessageServiceGrpc.newStub(channel)
                .withDeadlineAfter(60, TimeUnit.SECONDS)
                .enqueueStream(producer);
        return producer;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<EnqueueRequest> stream) {
        out = stream;
        stream.setOnReadyHandler(becameReady::release);
        if (!reads) {
            stream.disableAutoRequestWithInitial(0);
        }
    }

    RawProducer send(String queue, String... payloads) {
        EnqueueRequest.Builder frame = EnqueueRequest.newBuilder().setQueue(queue);
        for (String payload : payloads) {
            frame.addMessages(message(payload));
        }
        return send(frame.build());
    }

    RawProducer send(EnqueueRequest frame) {
        out.onNext(frame);
        return this;
    }

    /** Sends while the connection takes more; returns how many it took until it took none for two seconds, or {@code most}. */
    int sendWhileTaken(EnqueueRequest frame, int most) throws InterruptedException {
        int sent = 0;
        while (sent < most) {
            if (out.isReady()) {
                out.onNext(frame);
                sent++;
            } else if (!becameReady.tryAcquire(2, TimeUnit.SECONDS)) {
                break;
            }
        }
        return sent;
    }

    void read() {
        out.request(Integer.MAX_VALUE);
    }

    void finish() {
        out.onCompleted();
    }

    void cancel() {
        out.cancel("enough", null);
    }

    static OutgoingMessage message(String payload) {
        return OutgoingMessage.newBuilder()
                .setPayload(ByteString.copyFromUtf8(payload))
                .build();
    }
}
