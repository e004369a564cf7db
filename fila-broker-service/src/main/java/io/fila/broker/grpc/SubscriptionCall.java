package io.fila.broker.grpc;

import java.util.List;
import java.util.concurrent.CompletionException;

import io.fila.broker.message.ClosingRefusedException;
import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import io.fila.broker.subscription.Streams;
import io.fila.protocol.v1.Accepted;
import io.fila.protocol.v1.Settled;
import io.fila.protocol.v1.SubscribeRequest;
import io.fila.protocol.v1.SubscribeResponse;
import io.fila.protocol.v1.Subscription;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/**
 * One subscription's stream. Frames come in one at a time; deliveries and answers go out from any thread, one at a time under the
 * lock. What is on its way is bounded by the credit, and nothing is handed over while the connection cannot take it.
 */
final class SubscriptionCall implements StreamObserver<SubscribeRequest>, DeliverySink {

    /** A frame of deliveries is closed when it has so many bytes of payload. */
    private static final int FRAME_BYTES = 1 << 20;

    private final Streams streams;
    private final ServerCallStreamObserver<SubscribeResponse> out;

    /** Guards what follows, and the order of what goes out. */
    private final Object lock = new Object();

    private final StreamCredit credit = new StreamCredit();
    private Streams.@Nullable Stream stream;
    private boolean over;

    SubscriptionCall(Streams streams, ServerCallStreamObserver<SubscribeResponse> out) {
        this.streams = streams;
        this.out = out;
        out.setOnCancelHandler(this::close);
        out.setOnReadyHandler(this::credited);
    }

    @Override
    public void onNext(SubscribeRequest frame) {
        try {
            if (present() == null) {
                open(frame);
            } else if (frame.hasOpen()) {
                throw ProblemException.invalid("open: expected in the first frame only");
            }
            settle(frame);
            changeCredit(frame);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** The connection is gone. */
    @Override
    public void onError(Throwable failure) {
        close();
    }

    /** The consumer has finished. */
    @Override
    public void onCompleted() {
        boolean isFirst;
        synchronized (lock) {
            isFirst = !over;
            over = true;
            if (isFirst && !out.isCancelled()) {
                out.onCompleted();
            }
        }
        closeStream();
    }

    @Override
    public int credit() {
        synchronized (lock) {
            return over || !out.isReady() ? 0 : credit.ready();
        }
    }

    @Override
    public boolean deliver(List<Delivery> deliveries) {
        synchronized (lock) {
            if (over || out.isCancelled() || deliveries.size() > credit.ready()) {
                return false;
            }
            credit.take(deliveries.size());
            SubscribeResponse.Builder frame = SubscribeResponse.newBuilder();
            int bytes = 0;
            for (Delivery delivery : deliveries) {
                if (bytes > FRAME_BYTES) {
                    out.onNext(frame.build());
                    frame.clear();
                    bytes = 0;
                }
                frame.addDeliveries(ToProtocol.delivery(delivery));
                bytes += delivery.payload().bytes().length;
            }
            out.onNext(frame.build());
            return true;
        }
    }

    @Override
    public void end(ProblemException reason) {
        fail(reason);
    }

    private void open(SubscribeRequest frame) {
        if (!frame.hasOpen()) {
            throw ProblemException.invalid("open: expected in the first frame");
        }
        Subscription open = frame.getOpen();
        Streams.Stream opened =
                streams.open(QueueName.of(open.getQueue()), open.getConsumer(), FromProtocol.throttles(open), this);
        boolean isOver;
        synchronized (lock) {
            stream = opened;
            isOver = over;
            if (!isOver) {
                send(SubscribeResponse.newBuilder()
                        .setAccepted(Accepted.newBuilder()
                                .setSubscriptionId(opened.id().toString())
                                .setVisibilityTimeout(ToProtocol.duration(opened.visibilityTimeout()))));
            }
        }
        if (isOver) {
            // the connection went while the subscription was being accepted
            opened.close();
        } else {
            opened.start();
        }
    }

    private void settle(SubscribeRequest frame) {
        FromProtocol.Settlements settlements = FromProtocol.settlements(frame);
        Streams.Stream present = present();
        if (settlements.isEmpty() || present == null) {
            return;
        }
        long settlement;
        synchronized (lock) {
            settlement = credit.settling(present.isOrdered());
        }
        present.settle(settlements.valid()).whenComplete((lost, failure) -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof ClosingRefusedException refused) {
                // a handler's wish, not a broken client: its other deliveries go on
                answer(Settled.newBuilder()
                        .setSequence(frame.getSequence())
                        .setRefused(String.valueOf(refused.getMessage())));
            } else if (failure != null) {
                fail(failure);
            } else {
                // what is wrong with one of them is its own affair: the others are settled, and its deliveries go on
                Settled.Builder settled =
                        Settled.newBuilder().setSequence(frame.getSequence()).addAllRefusals(settlements.refused());
                lost.forEach(lease -> settled.addLost(lease.toString()));
                answer(settled);
            }
            boolean isMore;
            synchronized (lock) {
                isMore = credit.settled(settlement);
            }
            if (isMore) {
                credited();
            }
        });
    }

    private void answer(Settled.Builder settled) {
        synchronized (lock) {
            send(SubscribeResponse.newBuilder().setSettled(settled));
        }
    }

    private void changeCredit(SubscribeRequest frame) {
        boolean isMore;
        synchronized (lock) {
            if (frame.getDrain()) {
                credit.drain();
                send(SubscribeResponse.newBuilder().setDrained(true));
            }
            isMore = credit.ask(frame.getCredit());
        }
        if (isMore) {
            credited();
        }
    }

    private void credited() {
        Streams.Stream present = present();
        if (present != null) {
            present.credited();
        }
    }

    private void send(SubscribeResponse.Builder frame) {
        if (!over && !out.isCancelled()) {
            out.onNext(frame.build());
        }
    }

    private void fail(Throwable failure) {
        synchronized (lock) {
            if (over) {
                return;
            }
            over = true;
            if (!out.isCancelled()) {
                out.onError(GrpcProblems.of(failure));
            }
        }
        closeStream();
    }

    private void close() {
        synchronized (lock) {
            over = true;
        }
        closeStream();
    }

    private void closeStream() {
        Streams.Stream present = present();
        if (present != null) {
            present.close();
        }
    }

    private Streams.@Nullable Stream present() {
        synchronized (lock) {
            return stream;
        }
    }
}
