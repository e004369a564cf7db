package io.fila.broker.admin;

import java.time.Instant;
import java.util.UUID;

import io.fila.broker.subscription.HttpSubscription;

/** An accepted subscription. */
record SubscriptionAnswer(UUID id, String queue, Instant expiresAt) implements Answer {

    static SubscriptionAnswer of(HttpSubscription subscription) {
        return new SubscriptionAnswer(subscription.id(), subscription.queue().value(), subscription.expiresAt());
    }
}
