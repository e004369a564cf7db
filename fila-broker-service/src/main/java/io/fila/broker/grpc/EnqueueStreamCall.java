package io.fila.broker.grpc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.fila.broker.message.EnqueueSequence;
import io.fila.broker.message.Enqueued;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * One producer's stream. Frames come in one at a time, and the next is asked for only while those under way are few: a frame is under
 * way until its answer has been handed to a connection that takes it. So neither frames nor answers pile up, whoever does not read.
 */
final class EnqueueStreamCall implements StreamObserver<EnqueueRequest> {

    /** How many frames are under way at most. */
    static final int MOST_FRAMES = 256;

    /** No more are asked for when those under way come to this; the last may be as large as gRPC takes. */
    static final long MOST_BYTES = 8L << 20;

    private static final ProblemException BROKEN = new ProblemException(
            ProblemCode.STORAGE_UNAVAILABLE,
            "a frame could not be stored for now, so the stream ends, or later ones would overtake it; send what was refused or not"
                    + " answered again, in its order, on another stream",
            Duration.ofSeconds(1),
            null);

    /** What a message costs besides its bytes, and then the answer about it. */
    private static final int MESSAGE_BYTES = 500;

    private final EnqueueSequence sequence;
    private final ServerCallStreamObserver<EnqueueStreamResponse> out;
    private final Consumer<EnqueueStreamCall> whenOver;

    /** Guards what follows, and the order of what goes out. */
    private final Object lock = new Object();

    /** In the order they came, which is that of the answers. */
    private final ArrayDeque<Frame> underWay = new ArrayDeque<>();

    private long bytesUnderWay;

    /** A frame has been asked for and has not come yet. */
    private boolean asked;

    private State state = State.OPEN;

    /** With which it ends when all has been answered; null: because the producer has finished. */
    private @Nullable ProblemException end;

    private enum State {
        OPEN,
        /** What is under way is answered, nothing more is taken. */
        DRAINING,
        OVER
    }

    /** A frame that is under way; its answer, once there is one. */
    private static final class Frame {

        final long bytes;

        @Nullable EnqueueStreamResponse answer;

        Frame(EnqueueRequest request) {
            bytes = request.getSerializedSize() + (long) MESSAGE_BYTES * request.getMessagesCount();
        }
    }

    EnqueueStreamCall(
            EnqueueSequence sequence,
            ServerCallStreamObserver<EnqueueStreamResponse> out,
            Consumer<EnqueueStreamCall> whenOver) {
        this.sequence = sequence;
        this.out = out;
        this.whenOver = whenOver;
        out.disableAutoRequest();
        out.setOnCancelHandler(this::cancel);
        out.setOnReadyHandler(this::proceed);
    }

    @Override
    public void onNext(EnqueueRequest request) {
        Frame frame = new Frame(request);
        synchronized (lock) {
            asked = false;
            if (state != State.OPEN) {
                return;
            }
            underWay.add(frame);
            bytesUnderWay += frame.bytes;
        }
        enqueue(request).whenComplete((results, failure) -> answer(frame, results, failure));
        proceed();
    }

    /** The connection is gone, or the producer has given up. */
    @Override
    public void onError(Throwable failure) {
        cancel();
    }

    /** The producer has sent all. */
    @Override
    public void onCompleted() {
        drain(null);
    }

    /** Takes no more; ends with {@code reason} when all that has come is answered. */
    void end(ProblemException reason) {
        drain(reason);
    }

    /** Sends the answers that there are, in order, as far as the connection takes them; then asks for the next frame, or ends. */
    void proceed() {
        boolean isOver;
        synchronized (lock) {
            while (state != State.OVER && !underWay.isEmpty() && out.isReady()) {
                EnqueueStreamResponse answer = underWay.element().answer;
                if (answer == null) {
                    break;
                }
                bytesUnderWay -= underWay.remove().bytes;
                out.onNext(answer);
            }
            isOver = state == State.DRAINING && underWay.isEmpty();
            if (isOver) {
                close();
            } else if (state == State.OPEN && !asked && underWay.size() < MOST_FRAMES && bytesUnderWay < MOST_BYTES) {
                asked = true;
                out.request(1);
            }
        }
        if (isOver) {
            whenOver.accept(this);
        }
    }

    private CompletableFuture<List<Enqueued>> enqueue(EnqueueRequest request) {
        try {
            return sequence.enqueue(QueueName.of(request.getQueue()), FromProtocol.messages(request));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void answer(Frame frame, @Nullable List<Enqueued> results, @Nullable Throwable failure) {
        EnqueueStreamResponse.Builder answer = EnqueueStreamResponse.newBuilder();
        if (results == null) {
            answer.setProblem(GrpcProblems.answer(failure == null ? new IllegalStateException("no results") : failure));
        } else {
            answer.setStored(MessagesToProtocol.results(results));
        }
        synchronized (lock) {
            frame.answer = answer.build();
        }
        // the sequence is broken then, and the producer is to begin another
        if (answer.hasProblem() && GrpcProblems.isTransient(answer.getProblem())) {
            drain(BROKEN);
        } else {
            proceed();
        }
    }

    private void drain(@Nullable ProblemException reason) {
        synchronized (lock) {
            if (state == State.OPEN) {
                state = State.DRAINING;
                end = reason;
            }
        }
        proceed();
    }

    private void close() {
        state = State.OVER;
        if (end == null) {
            out.onCompleted();
        } else {
            out.onError(GrpcProblems.of(end));
        }
    }

    private void cancel() {
        synchronized (lock) {
            state = State.OVER;
            underWay.clear();
        }
        sequence.close();
        whenOver.accept(this);
    }
}
