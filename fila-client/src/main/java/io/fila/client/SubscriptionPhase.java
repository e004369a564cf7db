package io.fila.client;

import java.util.Set;

/**
 * Where a subscription stands: {@code WAITING → OPENING → ACTIVE}, back to {@code WAITING} when its stream ends, and from
 * anywhere to {@code CLOSED}, which is final.
 */
enum SubscriptionPhase {
    /** No stream; the next one is opened after the backoff. */
    WAITING,
    /** A stream is open and not accepted yet. */
    OPENING,
    /** Accepted: credit and settlements may be sent. */
    ACTIVE,
    /** Closed by the application, or refused by the broker. */
    CLOSED;

    private static final Set<String> REFUSALS = Set.of(
            "queue-not-found",
            "throttle-conflict",
            "limit-never-binds",
            "invalid-request",
            "unauthenticated",
            "forbidden",
            "reserved-name");

    boolean mayBecome(SubscriptionPhase next) {
        return switch (this) {
            case WAITING -> next == OPENING || next == CLOSED;
            case OPENING -> next != OPENING;
            case ACTIVE -> next == WAITING || next == CLOSED;
            case CLOSED -> false;
        };
    }

    /** Whether the end of the stream is final; of an accepted stream only the deletion of its queue is. */
    boolean isRefusedBy(FilaException end) {
        return this == OPENING ? REFUSALS.contains(end.code()) : end.code().equals("queue-not-found");
    }

    /** What fails when the stream ends in this phase; completes "could not …". */
    String activity() {
        return this == ACTIVE ? "stay subscribed to" : "subscribe to";
    }

    FilaSubscription.State state() {
        return switch (this) {
            case WAITING, OPENING -> FilaSubscription.State.CONNECTING;
            case ACTIVE -> FilaSubscription.State.ACTIVE;
            case CLOSED -> FilaSubscription.State.CLOSED;
        };
    }
}
