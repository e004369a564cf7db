package io.fila.broker.grpc;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fila.broker.message.Messages;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The streams of producers. By themselves they would last until the server gives up waiting for them to end. */
@Component
class EnqueueStreams {

    private final Messages messages;
    private final Set<EnqueueStreamCall> open = ConcurrentHashMap.newKeySet();

    /** Written once, when the broker begins to shut down; read by whoever opens. */
    private volatile boolean closing;

    EnqueueStreams(Messages messages) {
        this.messages = messages;
    }

    StreamObserver<EnqueueRequest> open(StreamObserver<EnqueueStreamResponse> answers) {
        EnqueueStreamCall call = new EnqueueStreamCall(
                messages.sequence(), (ServerCallStreamObserver<EnqueueStreamResponse>) answers, open::remove);
        open.add(call);
        // after it was added, so that a shutdown at the same time either sees the stream or is seen here
        if (closing) {
            call.end(shuttingDown());
        } else {
            call.proceed();
        }
        return call;
    }

    /** First of all: what has come is still stored and answered while the server waits for its calls. */
    @EventListener(ContextClosedEvent.class)
    void close() {
        closing = true;
        open.forEach(call -> call.end(shuttingDown()));
    }

    private static ProblemException shuttingDown() {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "the broker is shutting down, so what has not been answered was not taken; send it to another node or try again",
                Duration.ofSeconds(1),
                null);
    }
}
