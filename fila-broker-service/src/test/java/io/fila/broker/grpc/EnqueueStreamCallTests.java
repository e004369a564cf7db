package io.fila.broker.grpc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.google.protobuf.ByteString;
import io.fila.broker.message.EnqueueSequence;
import io.fila.broker.message.Enqueued;
import io.fila.broker.message.NewMessage;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.protocol.v1.EnqueueRequest;
import io.fila.protocol.v1.EnqueueStreamResponse;
import io.fila.protocol.v1.OutgoingMessage;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import static io.fila.broker.grpc.RawClient.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** How much a stream takes, and when it ends, with a connection that the test plays. */
class EnqueueStreamCallTests {

    private static final EnqueueRequest FRAME = EnqueueRequest.newBuilder()
            .setQueue("orders")
            .addMessages(OutgoingMessage.getDefaultInstance())
            .build();

    private final ServerCallStreamObserver<EnqueueStreamResponse> out = connection();
    private final List<EnqueueStreamResponse> sent = new ArrayList<>();
    private final List<CompletableFuture<List<Enqueued>>> enqueues = new ArrayList<>();
    private final List<EnqueueStreamCall> over = new ArrayList<>();
    private boolean ready = true;
    private int asked;
    private boolean sequenceClosed;

    private final EnqueueStreamCall call = new EnqueueStreamCall(new Sequence(), out, over::add);

    EnqueueStreamCallTests() {
        willAnswer(any -> ready).given(out).isReady();
        willAnswer(any -> sent.add(any.getArgument(0))).given(out).onNext(any());
        willAnswer(any -> asked += any.<Integer>getArgument(0)).given(out).request(anyInt());
    }

    /** Leaves it to the test when an enqueue is stored. */
    private final class Sequence implements EnqueueSequence {
        @Override
        public CompletableFuture<List<Enqueued>> enqueue(QueueName queue, List<NewMessage> messages) {
            CompletableFuture<List<Enqueued>> answer = new CompletableFuture<>();
            enqueues.add(answer);
            return answer;
        }

        @Override
        public void close() {
            sequenceClosed = true;
        }
    }

    @Test
    void takesOneFrameAfterTheOther() {
        call.proceed();
        call.proceed();
        assertThat(asked).isEqualTo(1);
        call.onNext(FRAME);
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void takesNoMoreFramesThanMayBeUnderWay() {
        sendWhileAsked(FRAME);

        assertThat(enqueues).hasSize(EnqueueStreamCall.MOST_FRAMES);
        store(1);
        assertThat(asked).as("the first is not answered yet").isEqualTo(enqueues.size());
        store(0);
        assertThat(asked).isEqualTo(enqueues.size() + 1);
    }

    @Test
    void takesNoMoreBytesThanMayBeUnderWay() {
        OutgoingMessage mebibyte = OutgoingMessage.newBuilder()
                .setPayload(ByteString.copyFrom(new byte[1 << 20]))
                .build();
        sendWhileAsked(EnqueueRequest.newBuilder()
                .setQueue("orders")
                .addMessages(mebibyte)
                .build());

        assertThat(enqueues).hasSize(8);
    }

    /** Answers are larger than frames of empty messages. */
    @Test
    void takesNoMoreThanItsAnswersComeTo() {
        sendWhileAsked(EnqueueRequest.newBuilder()
                .setQueue("orders")
                .addAllMessages(Collections.nCopies(10_000, OutgoingMessage.getDefaultInstance()))
                .build());

        assertThat(enqueues).hasSizeLessThan(10);
    }

    @Test
    void takesNoMoreWhileAnswersAreNotRead() {
        ready = false;
        sendWhileAsked(FRAME);
        for (int i = 0; i < enqueues.size(); i++) {
            store(i);
        }
        assertThat(sent).isEmpty();
        assertThat(asked).isEqualTo(EnqueueStreamCall.MOST_FRAMES);

        ready = true;
        call.proceed();

        assertThat(sent).hasSize(EnqueueStreamCall.MOST_FRAMES);
        assertThat(asked).isEqualTo(EnqueueStreamCall.MOST_FRAMES + 1);
    }

    @Test
    void answersInTheOrderOfTheFrames() {
        call.proceed();
        call.onNext(FRAME);
        call.onNext(FRAME.toBuilder().setQueue("a b").build());
        call.onNext(FRAME);
        UUID last = store(1);
        assertThat(sent).isEmpty();
        UUID first = store(0);

        assertThat(sent).hasSize(3);
        assertThat(sent.get(0).getStored().getResults(0).getId()).isEqualTo(first.toString());
        assertThat(sent.get(1).getProblem().getCode()).isEqualTo("invalid-request");
        assertThat(sent.get(1).getProblem().getDescription()).startsWith("queue: expected");
        assertThat(sent.get(1).getProblem().hasRetryAfter()).isFalse();
        assertThat(sent.get(2).getStored().getResults(0).getId()).isEqualTo(last.toString());
        verify(out, never()).onError(any());
    }

    /** What is on its way would overtake it. */
    @Test
    void endsWithTheFirstFrameThatCannotBeStoredForNow() {
        call.proceed();
        call.onNext(FRAME);
        call.onNext(FRAME);
        enqueues.get(0).completeExceptionally(new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, "away"));
        verify(out, never()).onError(any());
        call.onNext(FRAME);
        assertThat(enqueues).hasSize(2);
        store(1);

        assertThat(sent).hasSize(2);
        assertThat(sent.get(0).getProblem().getCode()).isEqualTo("storage-unavailable");
        assertThat(sent.get(1).hasStored()).isTrue();
        ArgumentCaptor<Throwable> reason = ArgumentCaptor.forClass(Throwable.class);
        verify(out).onError(reason.capture());
        assertRefused(reason.getValue(), Status.Code.UNAVAILABLE, "storage-unavailable", "on another stream");
    }

    @Test
    void completesWhenAllIsAnsweredThatHadBeenSent() {
        call.proceed();
        call.onNext(FRAME);
        call.onCompleted();
        verify(out, never()).onCompleted();
        store(0);

        verify(out).onCompleted();
        assertThat(over).containsExactly(call);
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void endsWithTheReasonWhenAllIsAnsweredThatHadCome() {
        call.proceed();
        call.onNext(FRAME);
        call.end(new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, "the broker is shutting down"));
        call.onNext(FRAME);
        assertThat(enqueues).hasSize(1);
        store(0);

        assertThat(sent).hasSize(1);
        ArgumentCaptor<Throwable> reason = ArgumentCaptor.forClass(Throwable.class);
        verify(out).onError(reason.capture());
        assertRefused(reason.getValue(), Status.Code.UNAVAILABLE, "storage-unavailable", "shutting down");
        assertThat(over).containsExactly(call);
    }

    @Test
    void forgetsAllWhenTheProducerIsGone() {
        call.proceed();
        call.onNext(FRAME);
        call.onError(Status.CANCELLED.asRuntimeException());
        call.onNext(FRAME);
        store(0);
        call.end(new ProblemException(ProblemCode.STORAGE_UNAVAILABLE, "the broker is shutting down"));

        assertThat(sequenceClosed).isTrue();
        assertThat(over).contains(call);
        assertThat(enqueues).hasSize(1);
        verify(out, never()).onNext(any());
        verify(out, never()).onError(any());
        verify(out, never()).onCompleted();
    }

    /** Sends as often as the call asks, up to ten times what may be under way. */
    private void sendWhileAsked(EnqueueRequest frame) {
        call.proceed();
        for (int i = 0; i < 10 * EnqueueStreamCall.MOST_FRAMES && asked > i; i++) {
            call.onNext(frame);
        }
    }

    private UUID store(int enqueue) {
        UUID id = UUID.randomUUID();
        enqueues.get(enqueue).complete(List.of(new Enqueued(id, false)));
        return id;
    }

    @SuppressWarnings("unchecked")
    private static ServerCallStreamObserver<EnqueueStreamResponse> connection() {
        return mock(ServerCallStreamObserver.class);
    }
}
