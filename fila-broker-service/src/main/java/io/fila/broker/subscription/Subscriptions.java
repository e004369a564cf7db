package io.fila.broker.subscription;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.fila.broker.message.Settlement;
import io.fila.broker.queue.QueueName;
import io.fila.broker.throttle.ThrottleDeclaration;

/** Subscriptions by HTTP calls: each lives for its ttl after the last call, whichever node that reached. */
public interface Subscriptions {

    /**
     * Accepts a subscription; its throttles bind every delivery from then on. {@code throttle-conflict} if a key differs. Completes at
     * once, or when no message is under way any more that was claimed without them.
     */
    CompletableFuture<HttpSubscription> open(
            QueueName queue, String consumer, Duration ttl, List<ThrottleDeclaration> throttles);

    /** Ends it; {@code subscription-not-found} if there is none. Its leases stay until they expire or are settled. */
    void close(UUID subscription);

    /**
     * Waits for deliveries: completes with at least one as soon as there is one, or with none after {@code wait}. Renews the
     * subscription first.
     *
     * @param max 0: only renews. Fewer come if their payloads are large: at most 4 MiB, or one message
     */
    PendingReceive receive(UUID subscription, int max, Duration wait);

    /** Settles leases of the subscription's queue; answers with those that had been lost. Renews the subscription first. */
    CompletableFuture<SettleResult> settle(UUID subscription, List<? extends Settlement> settlements);
}
