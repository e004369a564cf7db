package io.fila.listener;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.fila.client.Delivery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Extends the leases of messages that are being handled. A lease is extended by its own length each time a third of it has passed,
 * so that one lost extension does no harm. The length is what remains of it at receipt, and at least a second: clocks may differ.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed extension is reported, and followed by another
final class LeaseExtender {

    private static final Logger log = LoggerFactory.getLogger(LeaseExtender.class);
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final ScheduledExecutorService scheduler;
    private final InstantSource clock;

    LeaseExtender(ScheduledExecutorService scheduler, InstantSource clock) {
        this.scheduler = scheduler;
        this.clock = clock;
    }

    /** Keeps the lease until the answer is closed. */
    KeptLease keep(Delivery delivery) {
        Duration remaining = Duration.between(clock.instant(), delivery.leaseExpiresAt());
        return new KeptLease(delivery, remaining.compareTo(SHORTEST) < 0 ? SHORTEST : remaining);
    }

    /** A lease that is extended in the background. */
    final class KeptLease implements AutoCloseable {

        private final Delivery delivery;
        private final Duration length;
        private final Future<?> extensions;

        private KeptLease(Delivery delivery, Duration length) {
            this.delivery = delivery;
            this.length = length;
            long period = length.toMillis() / 3;
            this.extensions = scheduler.scheduleAtFixedRate(this::extend, period, period, TimeUnit.MILLISECONDS);
        }

        private void extend() {
            delivery.extend(length).whenComplete((kept, failure) -> {
                String id = delivery.message().id();
                if (failure != null) {
                    log.debug("could not extend the lease of message {}; trying again", id, failure);
                } else if (!kept && !extensions.isCancelled()) {
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
