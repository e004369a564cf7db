package io.fila.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent to one queue. One request of an outbox is under way at a time, and what comes meanwhile is the
 * next; so the order of single sends is kept. A {@code sendAll} has an outbox of its own, which is why it is never merged.
 * Guarded by the lock of {@link MessageSender}.
 */
final class Outbox {

    private final String queue;
    private final WaitingSends waitingSends;
    private final ArrayDeque<PendingSend<?>> waiting = new ArrayDeque<>();
    private final ArrayDeque<List<PendingSend<?>>> halves = new ArrayDeque<>();

    Outbox(String queue, WaitingSends waitingSends) {
        this.queue = queue;
        this.waitingSends = waitingSends;
    }

    String queue() {
        return queue;
    }

    void add(PendingSend<?> send) {
        waitingSends.enter(send);
        waiting.add(send);
    }

    /**
     * Takes back a refused batch, to be sent in two halves before anything else. Halving again and again finds one guilty
     * message among thousands with a few calls, where sending each alone would outlast the deadline of the innocent.
     */
    void putBackHalved(List<PendingSend<?>> refused) {
        int middle = refused.size() / 2;
        halves.addFirst(refused.subList(middle, refused.size()));
        halves.addFirst(refused.subList(0, middle));
    }

    boolean isEmpty() {
        return waiting.isEmpty() && halves.isEmpty();
    }

    /** Takes the next batch; null if only abandoned sends were left. */
    @Nullable EnqueueBatch next(SendLimits limits) {
        while (!isEmpty()) {
            List<PendingSend<?>> sends = halves.isEmpty() ? takeWaiting(limits) : halves.remove();
            List<PendingSend<?>> wanted =
                    sends.stream().filter(send -> !send.isAbandoned()).toList();
            if (!wanted.isEmpty()) {
                return new EnqueueBatch(this, wanted);
            }
        }
        return null;
    }

    private List<PendingSend<?>> takeWaiting(SendLimits limits) {
        List<PendingSend<?>> taken = new ArrayList<>();
        long bytes = 0;
        while (!waiting.isEmpty() && taken.size() < limits.messagesPerRequest()) {
            PendingSend<?> send = waiting.getFirst();
            if (!taken.isEmpty() && bytes + send.bytes() > limits.bytesPerRequest()) {
                break;
            }
            waiting.removeFirst();
            waitingSends.leave(send);
            taken.add(send);
            bytes += send.bytes();
        }
        return taken;
    }

    /** Abandons everything that has not been taken. */
    List<PendingSend<?>> clear() {
        List<PendingSend<?>> left = new ArrayList<>();
        halves.forEach(left::addAll);
        halves.clear();
        waiting.forEach(waitingSends::leave);
        left.addAll(waiting);
        waiting.clear();
        return left;
    }
}
