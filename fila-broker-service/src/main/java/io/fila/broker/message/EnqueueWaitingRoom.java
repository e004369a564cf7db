package io.fila.broker.message;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;

/** Bounds what the sequences of all producers keep waiting together. Safe for use by several threads. */
final class EnqueueWaitingRoom {

    private final long most;
    private final AtomicLong waiting = new AtomicLong();

    /** @param most in the weight of calls */
    EnqueueWaitingRoom(long most) {
        this.most = most;
    }

    /** Takes room for a call, or throws {@code rate-limited}; the first always has some. */
    void enter(long weight) {
        long before = waiting.getAndAdd(weight);
        if (before > 0 && before + weight > most) {
            waiting.addAndGet(-weight);
            throw new ProblemException(
                    ProblemCode.RATE_LIMITED,
                    "too much is waiting to be stored; send more slowly, or read the answers first",
                    Duration.ofSeconds(1),
                    null);
        }
    }

    void leave(long weight) {
        waiting.addAndGet(-weight);
    }

    long waiting() {
        return waiting.get();
    }
}
