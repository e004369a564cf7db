package io.fila.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.fila.protocol.v1.AcquirePermitsRequest;
import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.CancelMessageRequest;
import io.fila.protocol.v1.CancelMessageResponse;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueResponse;
import io.fila.protocol.v1.GetBucketRequest;
import io.fila.protocol.v1.GetBucketResponse;
import io.fila.protocol.v1.GetMessageRequest;
import io.fila.protocol.v1.GetMessageResponse;
import io.fila.protocol.v1.GetThrottleRequest;
import io.fila.protocol.v1.GetThrottleResponse;
import io.fila.protocol.v1.ListMessagesRequest;
import io.fila.protocol.v1.ListMessagesResponse;
import io.fila.protocol.v1.ListThrottlesRequest;
import io.fila.protocol.v1.ListThrottlesResponse;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.SubscriptionServiceGrpc;
import io.fila.protocol.v1.ThrottleServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** A broker that does what the test says: answers enqueues by {@link #onEnqueue}, leaves streams to the test. */
final class FakeBroker implements AutoCloseable {

    final List<EnqueueRequest> enqueues = new CopyOnWriteArrayList<>();
    final FakeAdministration administration = new FakeAdministration();
    final FakeQueues queues = new FakeQueues(administration);
    final BlockingQueue<EnqueueCall> held = new LinkedBlockingQueue<>();
    volatile Consumer<EnqueueCall> onEnqueue = EnqueueCall::store;
    volatile boolean readsByHand;
    final List<AcquirePermitsRequest> permitRequests = new CopyOnWriteArrayList<>();
    volatile Function<AcquirePermitsRequest, AcquirePermitsResponse> onPermits =
            request -> AcquirePermitsResponse.newBuilder().setGranted(true).build();

    private final BlockingQueue<FakeStream> streams = new LinkedBlockingQueue<>();
    private final List<FakeStream> allStreams = new CopyOnWriteArrayList<>();
    private final String name = UUID.randomUUID().toString();
    private Server server;

    /** An enqueue that waits for its answer. */
    record EnqueueCall(EnqueueRequest request, StreamObserver<EnqueueResponse> response) {

        void store() {
            EnqueueResponse.Builder answer = EnqueueResponse.newBuilder();
            request.getMessagesList()
                    .forEach(message -> answer.addResultsBuilder()
                            .setId("stored-" + message.getPayload().toStringUtf8()));
            response.onNext(answer.build());
            response.onCompleted();
        }

        void fail(StatusRuntimeException error) {
            response.onError(error);
        }

        List<String> payloads() {
            return request.getMessagesList().stream()
                    .map(message -> message.getPayload().toStringUtf8())
                    .toList();
        }
    }

    private FakeBroker() {}

    static FakeBroker start() {
        FakeBroker broker = new FakeBroker();
        broker.restart();
        return broker;
    }

    static StatusRuntimeException problem(Status.Code status, String code, String description) {
        Metadata trailers = new Metadata();
        trailers.put(BrokerErrors.CODE, code);
        return status.toStatus().withDescription(description).asRuntimeException(trailers);
    }

    FilaClientBuilder client() {
        return FilaClient.builder()
                .address("fake-broker:7433")
                .channel(() -> InProcessChannelBuilder.forName(name))
                .backoff(() -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(20), () -> 1));
    }

    /** The next stream that a client has opened. */
    FakeStream nextStream() {
        return next(streams, "stream");
    }

    private static <T> T next(BlockingQueue<T> arrivals, String what) {
        try {
            T next = arrivals.poll(10, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no " + what + " came within 10 s");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** From now on enqueues wait for the test to take them with {@link #nextEnqueue}. */
    void holdEnqueues() {
        onEnqueue = held::add;
    }

    /** The next enqueue that was held. */
    EnqueueCall nextEnqueue() {
        return next(held, "enqueue");
    }

    /** Leaves no client waiting. */
    void answerEverything() {
        onEnqueue = EnqueueCall::store;
        for (EnqueueCall call = held.poll(); call != null; call = held.poll()) {
            call.store();
        }
        allStreams.forEach(FakeStream::answerEverything);
    }

    void stop() {
        server.shutdownNow();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void restart() {
        server = startOn(InProcessServerBuilder.forName(name));
    }

    /** The same services on any other kind of server, as one that listens on a port. */
    Server startOn(ServerBuilder<?> builder) {
        try {
            return builder.addService(new Messages())
                    .addService(queues)
                    .addService(new Subscriptions())
                    .addService(new Throttles())
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        stop();
    }

    private final class Messages extends MessageServiceGrpc.MessageServiceImplBase {
        @Override
        public void enqueue(EnqueueRequest request, StreamObserver<EnqueueResponse> response) {
            enqueues.add(request);
            onEnqueue.accept(new EnqueueCall(request, response));
        }

        @Override
        public void getMessage(GetMessageRequest request, StreamObserver<GetMessageResponse> response) {
            administration.administer(request, response);
        }

        @Override
        public void listMessages(ListMessagesRequest request, StreamObserver<ListMessagesResponse> response) {
            administration.administer(request, response);
        }

        @Override
        public void cancelMessage(CancelMessageRequest request, StreamObserver<CancelMessageResponse> response) {
            administration.administer(request, response);
        }
    }

    private final class Throttles extends ThrottleServiceGrpc.ThrottleServiceImplBase {
        @Override
        public void getThrottle(GetThrottleRequest request, StreamObserver<GetThrottleResponse> response) {
            administration.administer(request, response);
        }

        @Override
        public void listThrottles(ListThrottlesRequest request, StreamObserver<ListThrottlesResponse> response) {
            administration.administer(request, response);
        }

        @Override
        public void getBucket(GetBucketRequest request, StreamObserver<GetBucketResponse> response) {
            administration.administer(request, response);
        }

        @Override
        public void acquirePermits(AcquirePermitsRequest request, StreamObserver<AcquirePermitsResponse> response) {
            permitRequests.add(request);
            try {
                response.onNext(onPermits.apply(request));
                response.onCompleted();
            } catch (StatusRuntimeException refusal) {
                response.onError(refusal);
            }
        }
    }

    private final class Subscriptions extends SubscriptionServiceGrpc.SubscriptionServiceImplBase {
        @Override
        public StreamObserver<SubscribeRequest> subscribe(StreamObserver<SubscribeResponse> response) {
            ServerCallStreamObserver<SubscribeResponse> call = (ServerCallStreamObserver<SubscribeResponse>) response;
            FakeStream stream = new FakeStream(call);
            if (readsByHand) {
                call.disableAutoRequest();
            }
            streams.add(stream);
            allStreams.add(stream);
            return stream;
        }
    }
}
