package io.fila.client;

import java.util.concurrent.CompletableFuture;

import io.fila.protocol.v1.SubscribeRequest;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the application asked for and what the broker may still deliver. Unused credit outlives the stream: it is given
 * again to the next one. Safe for use by several threads; futures are completed outside of its lock.
 */
final class Credit {

    private final Object lock = new Object();

    // guarded by lock
    /** Asked for by the application, not yet given to the broker. */
    private long unsent;
    /** Given to the broker on this stream and not yet used up. */
    private long given;
    /** A stream is accepted, so deliveries may be under way. */
    private boolean connected;

    private boolean ended;
    private @Nullable CompletableFuture<Void> draining;
    private boolean drainUnsent;

    void request(int deliveries) {
        synchronized (lock) {
            if (!ended) {
                unsent += deliveries;
            }
        }
    }

    /** Withdraws everything; the future completes once nothing more can arrive. */
    CompletableFuture<Void> drain() {
        synchronized (lock) {
            unsent = 0;
            return connected ? startDrain().copy() : CompletableFuture.completedFuture(null);
        }
    }

    /** Takes no more requests; drains if something may be under way, so that it is released and need not expire. */
    void end() {
        synchronized (lock) {
            ended = true;
            unsent = 0;
            if (given > 0) {
                var unused = startDrain();
            }
        }
    }

    private CompletableFuture<Void> startDrain() {
        if (draining == null) {
            draining = new CompletableFuture<>();
            drainUnsent = true;
        }
        return draining;
    }

    boolean isDraining() {
        synchronized (lock) {
            return draining != null;
        }
    }

    /** Moves what the broker has not been told of into the frame; false if there is nothing to tell. */
    boolean writeTo(SubscribeRequest.Builder frame) {
        synchronized (lock) {
            if (draining != null) {
                // requests made now wait for the answer, which sets the broker's count to zero
                frame.setDrain(drainUnsent);
                drainUnsent = false;
                return frame.getDrain();
            }
            int taken = (int) Math.min(unsent, Integer.MAX_VALUE);
            unsent -= taken;
            given += taken;
            frame.setCredit(taken);
            return taken > 0;
        }
    }

    /** Whether a delivery that arrives now was asked for and is still welcome. */
    boolean wantsDelivery() {
        synchronized (lock) {
            return given > 0 && !ended;
        }
    }

    /** A delivery has been dealt with. */
    void delivered() {
        synchronized (lock) {
            given = Math.max(0, given - 1);
        }
    }

    void streamAccepted() {
        synchronized (lock) {
            connected = true;
        }
    }

    /** The broker confirms the drain: nothing more is under way. */
    void drained() {
        CompletableFuture<Void> confirmed;
        synchronized (lock) {
            confirmed = draining;
            if (confirmed == null) {
                return;
            }
            given = 0;
            draining = null;
            drainUnsent = false;
        }
        confirmed.complete(null);
    }

    /** The stream is gone, and with it everything that was under way on it. */
    void streamLost() {
        synchronized (lock) {
            connected = false;
            if (draining == null) {
                unsent += given;
                given = 0;
            }
        }
        drained();
    }
}
