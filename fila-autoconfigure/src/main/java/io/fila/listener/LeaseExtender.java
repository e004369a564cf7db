package io.fila.listener;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.fila.client.Delivery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of messages that are being handled. A lease is extended by its own length each time a third of it has passed,
 * so that one lost extension does no harm, and as long as the message is not settled. What this machine's clock shows does not matter.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed extension is reported, and followed by another
final class LeaseExtender {

    private static final Logger log = LoggerFactory.getLogger(LeaseExtender.class);
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final ScheduledExecutorService scheduler;

    LeaseExtender(ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
    }

    /** Keeps the lease until the answer is closed, or the message is settled. */
    KeptLease keep(Delivery delivery, BooleanSupplier isSettled) {
        return new KeptLease(delivery, isSettled);
    }

    /** A lease that is extended in the background. */
    final class KeptLease implements AutoCloseable {

        private final Delivery delivery;
        private final BooleanSupplier isSettled;
        private final Duration length;
        private final Future<?> extensions;

        private KeptLease(Delivery delivery, BooleanSupplier isSettled) {
            this.delivery = delivery;
            this.isSettled = isSettled;
            Duration told = delivery.visibilityTimeout();
            this.length = told.compareTo(SHORTEST) < 0 ? SHORTEST : told;
            long period = length.toMillis() / 3;
            this.extensions = scheduler.scheduleAtFixedRate(this::extend, period, period, TimeUnit.MILLISECONDS);
        }

        private void extend() {
            if (isSettled.getAsBoolean()) {
                return;
            }
            delivery.extend(length).whenComplete((kept, failure) -> {
                String id = delivery.message().id();
                if (failure != null) {
                    log.debug("could not extend the lease of message {}; trying again", id, failure);
                } else if (!kept && !isSettled.getAsBoolean() && !extensions.isCancelled()) {
                    close();
                    log.warn(
                            "the lease of message {} was lost while it is being handled; it will be handled again", id);
                }
            });
        }

        /** Runs the action when the lease has run out for certain, provided it is not extended any more. */
        void whenExpired(Runnable action) {
            scheduler.schedule(action, length.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            extensions.cancel(false);
        }
    }
}
