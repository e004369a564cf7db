package io.fila.broker.grpc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fila.protocol.v1.MessageServiceGrpc;
import io.fila.protocol.v1.QueueServiceGrpc;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.SubscriptionServiceGrpc;
import io.fila.protocol.v1.ThrottleServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The protocol without a client that keeps to it, and an eye on what the broker logs meanwhile. */
final class RawClient implements AutoCloseable {

    private static final Metadata.Key<String> CODE = Metadata.Key.of("fila-code", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;
    private final List<ILoggingEvent> complaints = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> watch = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                complaints.add(event);
            }
        }
    };

    RawClient(int port) {
        channel = Grpc.newChannelBuilder("localhost:" + port, InsecureChannelCredentials.create())
                .build();
        watch.start();
        root().addAppender(watch);
    }

    ManagedChannel channel() {
        return channel;
    }

    MessageServiceGrpc.MessageServiceBlockingStub messages() {
        return MessageServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    QueueServiceGrpc.QueueServiceBlockingStub queues() {
        return QueueServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    ThrottleServiceGrpc.ThrottleServiceBlockingStub throttles() {
        return ThrottleServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    Stream subscribe() {
        Stream stream = new Stream();
        stream.out = SubscriptionServiceGrpc.newStub(channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .subscribe(stream);
        return stream;
    }

    /** Calls a method with one request of these bytes, and throws what it is answered with. */
    void callRaw(String method, byte[] request) {
        ClientCalls.blockingUnaryCall(
                channel,
                rawMethod(method, MethodDescriptor.MethodType.UNARY),
                CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
                request);
    }

    /** A subscription's stream that takes any bytes for frames. */
    RawStream subscribeRaw() {
        RawStream stream = new RawStream();
        stream.out = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(
                        rawMethod(
                                SubscriptionServiceGrpc.getSubscribeMethod().getFullMethodName(),
                                MethodDescriptor.MethodType.BIDI_STREAMING),
                        CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS)),
                stream);
        return stream;
    }

    private static MethodDescriptor<byte[], byte[]> rawMethod(String name, MethodDescriptor.MethodType type) {
        MethodDescriptor.Marshaller<byte[]> asTheyAre = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] bytes) {
                return new ByteArrayInputStream(bytes);
            }

            @Override
            public byte[] parse(InputStream bytes) {
                try {
                    return bytes.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return MethodDescriptor.newBuilder(asTheyAre, asTheyAre)
                .setType(type)
                .setFullMethodName(name)
                .build();
    }

    /** What has been logged at WARN or above. */
    List<ILoggingEvent> complaints() {
        return complaints;
    }

    static void assertRefused(Throwable thrown, Status.Code status, String code, String said) {
        assertThat(thrown).isInstanceOfSatisfying(StatusRuntimeException.class, refusal -> {
            assertThat(refusal.getStatus().getCode())
                    .as(refusal.getStatus().toString())
                    .isEqualTo(status);
            assertThat(refusal.getTrailers()).isNotNull();
            assertThat(refusal.getTrailers().get(CODE)).isEqualTo(code);
            assertThat(refusal.getStatus().getDescription()).contains(said);
        });
    }

    @Override
    public void close() {
        root().detachAppender(watch);
        channel.shutdownNow();
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    /** A stream of bytes: what came, and how it ended. */
    static final class RawStream extends Received<byte[]> {

        private StreamObserver<byte[]> out;

        RawStream send(byte[] frame) {
            out.onNext(frame);
            return this;
        }
    }

    /** A subscription's stream. */
    static final class Stream extends Received<SubscribeResponse> {

        private StreamObserver<SubscribeRequest> out;

        Stream send(SubscribeRequest.Builder frame) {
            out.onNext(frame.build());
            return this;
        }

        void finish() {
            out.onCompleted();
        }
    }

    /** What came on a stream, and how it ended. */
    abstract static class Received<T> implements StreamObserver<T> {

        private final List<T> frames = new CopyOnWriteArrayList<>();

        /** Completes with null if the broker completed the stream, otherwise with the error. */
        private final CompletableFuture<Throwable> end = new CompletableFuture<>();

        List<T> frames() {
            return frames;
        }

        Throwable end() {
            return end.orTimeout(30, TimeUnit.SECONDS).join();
        }

        @Override
        public void onNext(T frame) {
            frames.add(frame);
        }

        @Override
        public void onError(Throwable failure) {
            end.complete(failure);
        }

        @Override
        public void onCompleted() {
            end.complete(null);
        }
    }
}
