package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

import com.google.protobuf.ByteString;
import io.fila.protocol.v1.Accepted;
import io.fila.protocol.v1.Nack;
import io.fila.protocol.v1.PayloadKind;
import io.fila.protocol.v1.Refusal;
import io.fila.protocol.v1.Settled;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import static org.awaitility.Awaitility.await;

/** The broker's end of one subscription: remembers every frame, sends what the test says. */
final class FakeStream implements StreamObserver<SubscribeRequest> {

    final List<SubscribeRequest> frames = new CopyOnWriteArrayList<>();
    volatile boolean answersDrain = true;
    volatile boolean answersSettlements;
    volatile boolean halfClosed;
    volatile boolean cancelled;
    private volatile boolean ended;
    private final ServerCallStreamObserver<SubscribeResponse> response;

    FakeStream(ServerCallStreamObserver<SubscribeResponse> response) {
        this.response = response;
    }

    @Override
    public void onNext(SubscribeRequest frame) {
        frames.add(frame);
        answer(frame);
    }

    /** Unless the stream has ended, as when the test ended it while the frame was under way. */
    private synchronized void answer(SubscribeRequest frame) {
        if (frame.getDrain() && answersDrain && !ended) {
            drained();
        }
        if (frame.getSequence() > 0 && answersSettlements && !ended) {
            settle(frame.getSequence());
        }
    }

    @Override
    public void onError(Throwable error) {
        ended = true;
        cancelled = true;
    }

    @Override
    public void onCompleted() {
        halfClosed = true;
        end(response::onCompleted);
    }

    FakeStream accept() {
        send(SubscribeResponse.newBuilder().setAccepted(Accepted.getDefaultInstance()));
        return this;
    }

    /** One frame with these messages; the lease of message "a" is "lease-a", its text "a". */
    void deliver(String... messages) {
        SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
        for (String message : messages) {
            frame.addDeliveriesBuilder()
                    .setId(message)
                    .setLease("lease-" + message)
                    .setPayload(ByteString.copyFromUtf8(message))
                    .setPayloadKind(PayloadKind.PAYLOAD_KIND_TEXT)
                    .setAttempt(1);
        }
        send(frame);
    }

    /** Answers the newest frame with settlements. */
    void settleLast(String... lost) {
        long sequence =
                frames.stream().mapToLong(SubscribeRequest::getSequence).max().orElseThrow();
        settle(sequence, lost);
    }

    void settle(long sequence, String... lost) {
        send(SubscribeResponse.newBuilder()
                .setSettled(Settled.newBuilder().setSequence(sequence).addAllLost(List.of(lost))));
    }

    /** Answers a frame that would close buckets as they cannot be. */
    void refuseClosing(long sequence, String why) {
        send(SubscribeResponse.newBuilder()
                .setSettled(Settled.newBuilder().setSequence(sequence).setRefused(why)));
    }

    /** Answers a frame of which this lease was not settled. */
    void refuseSettlement(long sequence, String lease, String why) {
        send(SubscribeResponse.newBuilder()
                .setSettled(Settled.newBuilder()
                        .setSequence(sequence)
                        .addRefusals(Refusal.newBuilder().setLease(lease).setReason(why))));
    }

    /** From now on, and for what was not answered yet: a client that closes has nothing to wait for. */
    synchronized void answerEverything() {
        answersDrain = true;
        answersSettlements = true;
        if (!ended) {
            frames.stream()
                    .mapToLong(SubscribeRequest::getSequence)
                    .filter(sequence -> sequence > 0)
                    .forEach(this::settle);
            accept();
            drained();
        }
    }

    /** Takes so many more frames off the wire; only of a broker that reads by hand. */
    void read(int count) {
        response.request(count);
    }

    void drained() {
        send(SubscribeResponse.newBuilder().setDrained(true));
    }

    synchronized void send(SubscribeResponse.Builder frame) {
        response.onNext(frame.build());
    }

    /** The connection is lost. */
    synchronized void breakDown() {
        end(() -> response.onError(
                Status.UNAVAILABLE.withDescription("connection reset").asRuntimeException()));
    }

    synchronized void refuse(Status.Code status, String code, String description) {
        end(() -> response.onError(FakeBroker.problem(status, code, description)));
    }

    private synchronized void end(Runnable last) {
        ended = true;
        last.run();
    }

    int credit() {
        return frames.stream().mapToInt(SubscribeRequest::getCredit).sum();
    }

    boolean drainAsked() {
        return frames.stream().anyMatch(SubscribeRequest::getDrain);
    }

    List<String> acked() {
        return all(frame -> frame.getAckList().stream());
    }

    List<String> released() {
        return all(frame -> frame.getReleaseList().stream());
    }

    List<Nack> nacked() {
        return all(frame -> frame.getNackList().stream());
    }

    void awaitCredit(int expected) {
        await().until(this::credit, credit -> credit == expected);
    }

    void awaitAcked(String... leases) {
        await().until(this::acked, List.of(leases)::equals);
    }

    void awaitReleased(String... leases) {
        await().until(this::released, List.of(leases)::equals);
    }

    void awaitDrainAsked() {
        await().atMost(Duration.ofSeconds(10)).until(this::drainAsked);
    }

    private <T> List<T> all(Function<SubscribeRequest, Stream<T>> part) {
        return frames.stream().flatMap(part).toList();
    }
}
