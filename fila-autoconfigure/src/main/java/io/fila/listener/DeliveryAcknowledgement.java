package io.fila.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.fila.client.Delivery;
import io.fila.client.FilaException;
import io.fila.client.Nack;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settles a delivery once, and tells in the log when that came to nothing. */
@SuppressWarnings("FutureReturnValueIgnored") // report() is where the answer ends
final class DeliveryAcknowledgement implements Acknowledgement {

    private static final Logger log = LoggerFactory.getLogger(DeliveryAcknowledgement.class);

    private final Delivery delivery;
    private final Runnable whenHandedOver;
    private final AtomicBoolean settled = new AtomicBoolean();

    DeliveryAcknowledgement(Delivery delivery, Runnable whenHandedOver) {
        this.delivery = delivery;
        this.whenHandedOver = whenHandedOver;
    }

    @Override
    public CompletableFuture<Boolean> ack() {
        return settle("acknowledged", delivery::ack);
    }

    @Override
    public CompletableFuture<Boolean> nack(String error) {
        return nack(Nack.failed(error));
    }

    @Override
    public CompletableFuture<Boolean> nack(String error, Duration delay) {
        return nack(Nack.retryAfter(error, delay));
    }

    @Override
    public CompletableFuture<Boolean> deadLetter(String error) {
        return nack(Nack.deadLetter(error));
    }

    @Override
    public CompletableFuture<Boolean> closeBuckets(String error, Duration closedFor, String... throttles) {
        Nack closing = Nack.closeBuckets(error, closedFor, List.of(throttles));
        return settle(
                "nacked",
                () -> delivery.nack(closing)
                        .exceptionallyCompose(failure -> cannotClose(failure)
                                ? nackInstead(error, closedFor, failure)
                                : CompletableFuture.failedFuture(failure)));
    }

    /** Else the lease would expire, and the message be tried again as soon as that. */
    private CompletableFuture<Boolean> nackInstead(String error, Duration closedFor, Throwable failure) {
        log.warn(
                "the buckets of message {} could not be closed, so its attempt counts: {}",
                delivery.message().id(),
                cause(failure).getMessage());
        return delivery.nack(Nack.retryAfter(error, closedFor));
    }

    private static boolean cannotClose(Throwable failure) {
        return cause(failure) instanceof FilaException problem && problem.code().equals("invalid-request");
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    private CompletableFuture<Boolean> nack(Nack nack) {
        return settle("nacked", () -> delivery.nack(nack));
    }

    @Override
    public CompletableFuture<Boolean> release() {
        return settle("released", delivery::release);
    }

    @Override
    public boolean isSettled() {
        return settled.get();
    }

    private CompletableFuture<Boolean> settle(String verb, Supplier<CompletableFuture<Boolean>> settlement) {
        String id = delivery.message().id();
        if (!settled.compareAndSet(false, true)) {
            throw new IllegalStateException("message " + id + " has been settled before; settle each message once");
        }
        try {
            CompletableFuture<Boolean> answer = settlement.get();
            answer.whenComplete((done, failure) -> report(id, verb, done, failure));
            return answer;
        } finally {
            whenHandedOver.run();
        }
    }

    private static void report(String id, String verb, @Nullable Boolean done, @Nullable Throwable failure) {
        if (failure != null) {
            log.warn("message {} could not be {} and may be handled again: {}", id, verb, failure.getMessage());
        } else if (!Boolean.TRUE.equals(done)) {
            log.warn("the lease of message {} was lost before it was {}; it may be handled again", id, verb);
        }
    }
}
