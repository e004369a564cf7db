package io.fila.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.fila.protocol.v1.AcquirePermitsResponse;
import io.fila.protocol.v1.ThrottleServiceGrpc.ThrottleServiceStub;
import io.grpc.stub.StreamObserver;

/** The client that {@link FilaClientBuilder} builds: one channel, one sender, any number of subscriptions. */
final class GrpcFilaClient implements FilaClient {

    private static final Duration CLOSE_PATIENCE = Duration.ofMillis(3_500);
    private static final Duration CHANNEL_PATIENCE = Duration.ofMillis(500);

    private final BrokerConnection broker;
    private final MessageSender sender;
    private final Supplier<Backoff> backoff;
    private final Set<LiveSubscription> subscriptions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final UnaryCalls calls;
    private final FilaAdmin admin;

    GrpcFilaClient(BrokerConnection broker, SendLimits limits, Supplier<Backoff> backoff) {
        this.broker = broker;
        this.sender = new MessageSender(broker, limits);
        this.backoff = backoff;
        this.calls = new UnaryCalls(broker, closed);
        this.admin = new GrpcFilaAdmin(calls);
    }

    @Override
    public SendResult send(String queue, OutgoingMessage message) {
        return Answers.await(sender.send(queue, message, true));
    }

    @Override
    public List<SendResult> sendAll(String queue, List<OutgoingMessage> messages) {
        return Answers.await(sender.sendAll(queue, messages, true));
    }

    @Override
    public CompletableFuture<SendResult> sendAsync(String queue, OutgoingMessage message) {
        return sender.send(queue, message, false);
    }

    @Override
    public CompletableFuture<List<SendResult>> sendAllAsync(String queue, List<OutgoingMessage> messages) {
        return sender.sendAll(queue, messages, false);
    }

    @Override
    public boolean declareQueue(QueueSpec queue) {
        return admin.declare(queue);
    }

    @Override
    public PermitResult tryAcquire(String throttle, List<String> key, int permits) {
        return Answers.await(tryAcquireAsync(throttle, key, permits));
    }

    @Override
    public CompletableFuture<PermitResult> tryAcquireAsync(String throttle, List<String> key, int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits is " + permits + ", expected at least 1");
        }
        return calls.call(
                        "acquire permits of throttle '" + throttle + "'",
                        broker.throttles(),
                        (ThrottleServiceStub stub, StreamObserver<AcquirePermitsResponse> answer) ->
                                stub.acquirePermits(ToProtocol.permits(throttle, key, permits), answer))
                .thenApply(FromProtocol::permits);
    }

    @Override
    public FilaAdmin admin() {
        return admin;
    }

    @Override
    public FilaSubscription subscribe(SubscriptionSpec spec, SubscriptionListener listener) {
        Objects.requireNonNull(listener, "listener must not be null");
        LiveSubscription subscription = new LiveSubscription(broker, spec, listener, backoff.get());
        subscriptions.add(subscription);
        subscription.whenClosed().thenRun(() -> subscriptions.remove(subscription));
        // after it was added, so that a close at the same time either sees the subscription or is seen here
        if (closed.get()) {
            subscription.close();
            throw BrokerErrors.closed("subscribe to queue '" + spec.queue() + "'");
        }
        subscription.connect();
        return subscription;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        subscriptions.forEach(LiveSubscription::beginClosing);
        sender.close(CLOSE_PATIENCE);
        // they have been closing meanwhile, and give up by themselves
        subscriptions.forEach(LiveSubscription::close);
        broker.shutdown(CHANNEL_PATIENCE);
    }
}
