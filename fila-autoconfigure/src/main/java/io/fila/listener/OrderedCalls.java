package io.fila.listener;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the calls that a container decides on under its lock, in that order but without the lock: the client may call back into the
 * container while it is being called, and a request must never overtake the drain that was decided before it.
 *
 * <p>{@link #add} is called with the lock held, {@link #flush} without it; whoever finds the line idle makes the calls of all.
 */
final class OrderedCalls {

    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger flushes = new AtomicInteger();

    void add(Runnable call) {
        waiting.add(call);
    }

    void flush() {
        if (flushes.getAndIncrement() > 0) {
            return;
        }
        int seen = 1;
        while (seen != 0) {
            for (Runnable call = waiting.poll(); call != null; call = waiting.poll()) {
                call.run();
            }
            seen = flushes.addAndGet(-seen);
        }
    }
}
