package io.fila.client;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** A delivery whose settlements go to the subscription it came from. */
final class LeasedDelivery implements Delivery {

    private static final Duration SHORTEST_EXTENSION = Duration.ofSeconds(1);
    private static final Duration LONGEST_EXTENSION = Duration.ofHours(12);

    private final FilaMessage message;
    private final String lease;
    private final Instant leaseExpiresAt;
    private final Duration visibilityTimeout;
    private final Function<Settlement, CompletableFuture<Boolean>> subscription;
    /** Set by the first settlement and reset if it fails unanswered, so that it can be tried again. */
    private final AtomicBoolean settled = new AtomicBoolean();

    LeasedDelivery(
            String queue,
            io.fila.protocol.v1.Delivery delivery,
            Function<Settlement, CompletableFuture<Boolean>> subscription) {
        this.message = FromProtocol.message(queue, delivery);
        this.lease = delivery.getLease();
        this.leaseExpiresAt = FromProtocol.instant(delivery.getLeaseExpiresAt());
        this.visibilityTimeout = FromProtocol.duration(delivery.getVisibilityTimeout());
        this.subscription = subscription;
    }

    @Override
    public FilaMessage message() {
        return message;
    }

    @Override
    public Instant leaseExpiresAt() {
        return leaseExpiresAt;
    }

    @Override
    public Duration visibilityTimeout() {
        return visibilityTimeout;
    }

    @Override
    public CompletableFuture<Boolean> ack() {
        return settle(Settlement.of("ack", lease, frame -> frame.addAck(lease)));
    }

    @Override
    public CompletableFuture<Boolean> nack(Nack nack) {
        io.fila.protocol.v1.Nack framed = ToProtocol.nack(lease, nack);
        Settlement settlement = Settlement.of("nack", lease, frame -> frame.addNack(framed));
        return settle(nack.closeBucketsFor() == null ? settlement : settlement.inFrameOfItsOwn());
    }

    @Override
    public CompletableFuture<Boolean> release() {
        return settle(Settlement.of("release", lease, frame -> frame.addRelease(lease)));
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration by) {
        if (by.compareTo(SHORTEST_EXTENSION) < 0 || by.compareTo(LONGEST_EXTENSION) > 0) {
            throw new IllegalArgumentException("a lease can be extended by 1 second to 12 hours, but was by " + by);
        }
        io.fila.protocol.v1.Extend framed = io.fila.protocol.v1.Extend.newBuilder()
                .setLease(lease)
                .setBy(ToProtocol.duration(by))
                .build();
        return settled.get()
                ? CompletableFuture.completedFuture(false)
                : subscription.apply(Settlement.of("extend", lease, frame -> frame.addExtend(framed)));
    }

    private CompletableFuture<Boolean> settle(Settlement settlement) {
        if (!settled.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(false);
        }
        return subscription.apply(settlement).whenComplete((done, problem) -> {
            if (problem != null) {
                settled.set(false);
            }
        });
    }
}
