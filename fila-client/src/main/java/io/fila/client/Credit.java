package io.fila.client;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Counts what the application asked for and what the broker may still deliver. Unused credit outlives the stream: it is given
 * again to the next one. Guarded by the lock of {@link LiveSubscription}; the futures are completed outside of it.
 */
final class Credit {

    /** Asked for by the application, not yet given to the broker. */
    private long unsent;
    /** Given to the broker on this stream and not yet used up. */
    private long given;

    private @Nullable CompletableFuture<Void> draining;
    private boolean drainUnsent;

    void request(int deliveries) {
        unsent += deliveries;
    }

    /** Takes what to give to the broker now. While draining that is nothing: the answer will set the broker's count to zero. */
    int takeUnsent() {
        if (draining != null) {
            return 0;
        }
        int taken = (int) Math.min(unsent, Integer.MAX_VALUE);
        unsent -= taken;
        given += taken;
        return taken;
    }

    /** Whether a delivery that arrives now was asked for. */
    boolean isGiven() {
        return given > 0;
    }

    void used() {
        given = Math.max(0, given - 1);
    }

    /** Withdraws everything; the future completes when the broker has confirmed it. */
    CompletableFuture<Void> startDrain() {
        unsent = 0;
        if (draining == null) {
            draining = new CompletableFuture<>();
            drainUnsent = true;
        }
        return draining;
    }

    boolean takeUnsentDrain() {
        boolean taken = drainUnsent;
        drainUnsent = false;
        return taken;
    }

    boolean isDraining() {
        return draining != null;
    }

    /** The broker has confirmed: nothing more is under way. */
    @Nullable CompletableFuture<Void> drained() {
        CompletableFuture<Void> confirmed = draining;
        if (confirmed != null) {
            given = 0;
            draining = null;
            drainUnsent = false;
        }
        return confirmed;
    }

    /** The stream is gone, and with it everything that was under way on it. */
    @Nullable CompletableFuture<Void> streamLost() {
        if (draining != null) {
            return drained();
        }
        unsent += given;
        given = 0;
        return null;
    }

    /** Forgets what the broker has not been told of. */
    void clearUnsent() {
        unsent = 0;
    }
}
