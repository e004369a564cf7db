package io.fila.listener;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.client.Delivery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles one delivery on a handler thread: keeps the lease, calls the handler, settles by the outcome, frees the handler. */
@SuppressWarnings("FutureReturnValueIgnored") // the acknowledgement reports what goes wrong
final class DeliveryHandlerTask implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(DeliveryHandlerTask.class);

    private final FilaListenerEndpoint endpoint;
    private final Delivery delivery;
    private final LeaseExtender leases;
    private final Runnable freeHandler;

    private final DeliveryAcknowledgement acknowledgement;
    /** The handler is free again when its method has returned and its message is settled. */
    private final AtomicInteger unfinishedParts = new AtomicInteger(2);

    private final AtomicBoolean freed = new AtomicBoolean();

    DeliveryHandlerTask(FilaListenerEndpoint endpoint, Delivery delivery, LeaseExtender leases, Runnable freeHandler) {
        this.endpoint = endpoint;
        this.delivery = delivery;
        this.leases = leases;
        this.freeHandler = freeHandler;
        this.acknowledgement = new DeliveryAcknowledgement(delivery, this::partFinished);
    }

    @Override
    public void run() {
        try (LeaseExtender.KeptLease lease = leases.keep(delivery, acknowledgement::isSettled)) {
            handle();
            if (!acknowledgement.isSettled()) {
                returnedUnsettled(lease);
            }
        } finally {
            partFinished();
        }
    }

    /** Instead of {@link #run}: the container is stopping. */
    void giveBack() {
        try {
            acknowledgement.release();
        } finally {
            partFinished();
        }
    }

    private void handle() {
        try {
            endpoint.handler().handle(delivery.message(), acknowledgement);
        } catch (RetryAfterException failure) {
            log.debug("listener '{}' asks for message {} again", endpoint.id(), id(), failure);
            settle(() -> acknowledgement.nack(describe(failure), failure.delay()));
        } catch (DownstreamLimitedException failure) {
            log.debug("listener '{}' was refused downstream with message {}", endpoint.id(), id(), failure);
            String[] throttles = failure.throttles().toArray(String[]::new);
            settle(() -> acknowledgement.closeBuckets(describe(failure), failure.retryAfter(), throttles));
        } catch (DeadLetterException failure) {
            log.warn("listener '{}' dead-letters message {}", endpoint.id(), id(), failure);
            settle(() -> acknowledgement.deadLetter(describe(failure)));
        } catch (Throwable failure) {
            int attempt = delivery.message().attempt();
            log.warn("listener '{}' failed on message {}, attempt {}", endpoint.id(), id(), attempt, failure);
            settle(() -> acknowledgement.nack(describe(failure)));
        }
    }

    private void settle(Runnable settlement) {
        if (!acknowledgement.isSettled()) {
            settlement.run();
        }
    }

    private void returnedUnsettled(LeaseExtender.KeptLease lease) {
        if (endpoint.ackMode() == AckMode.AUTO) {
            acknowledgement.ack();
            return;
        }
        lease.whenExpired(() -> {
            if (!acknowledgement.isSettled()) {
                log.warn("listener '{}' has not settled message {} within its lease", endpoint.id(), id());
                free();
            }
        });
    }

    private void partFinished() {
        if (unfinishedParts.decrementAndGet() == 0) {
            free();
        }
    }

    private void free() {
        if (freed.compareAndSet(false, true)) {
            freeHandler.run();
        }
    }

    private String id() {
        return delivery.message().id();
    }

    /** What the message's failure history shows. */
    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        String type = failure.getClass().getName();
        return message == null ? type : type + ": " + message;
    }
}
