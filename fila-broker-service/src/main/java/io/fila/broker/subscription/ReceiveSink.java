package io.fila.broker.subscription;

import java.util.List;
import java.util.function.Consumer;

import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * A waiting {@code receive} as a consumer: ready for up to {@code max} deliveries, once. What is offered beyond {@link #MAX_BYTES}
 * of payload is refused as a whole, since an answer is one delivery, and as many as fit are asked for instead; one always fits.
 * Safe for use by several threads.
 */
final class ReceiveSink implements DeliverySink, PendingReceive {

    private enum State {
        /** Nobody has said yet where the answer goes. */
        PREPARED,
        WAITING,
        ANSWERED,
        CANCELLED
    }

    static final int MAX_BYTES = 4 << 20;

    private final boolean answersAtOnce;
    private final Consumer<ReceiveSink> started;

    /** Guards what follows. */
    private final Object lock = new Object();

    private State state = State.PREPARED;
    private int max;
    private @Nullable Consumer<List<Delivery>> writer;
    private @Nullable Consumer<Throwable> failure;
    private Runnable ended = () -> {};

    /**
     * @param answersAtOnce whether to answer with nothing as soon as there is nothing
     * @param started called when the answer is waited for
     */
    ReceiveSink(int max, boolean answersAtOnce, Consumer<ReceiveSink> started) {
        this.max = max;
        this.answersAtOnce = answersAtOnce;
        this.started = started;
    }

    @Override
    public void onFailure(Consumer<Throwable> failure) {
        synchronized (lock) {
            this.failure = failure;
        }
    }

    @Override
    public void onAnswer(Consumer<List<Delivery>> writer) {
        synchronized (lock) {
            if (state != State.PREPARED) {
                return;
            }
            this.writer = writer;
            state = State.WAITING;
        }
        started.accept(this);
    }

    /** What to do once the answer has been given, or is not wanted any more: at once if that is so already. */
    void onEnd(Runnable action) {
        synchronized (lock) {
            if (state == State.PREPARED || state == State.WAITING) {
                ended = action;
                return;
            }
        }
        action.run();
    }

    @Override
    public void cancel() {
        if (moveTo(State.CANCELLED) != null) {
            end();
        }
    }

    @Override
    public int credit() {
        synchronized (lock) {
            return state == State.WAITING ? max : 0;
        }
    }

    @Override
    public boolean deliver(List<Delivery> deliveries) {
        int fitting = fitting(deliveries);
        if (fitting < deliveries.size()) {
            synchronized (lock) {
                max = fitting;
            }
            return false;
        }
        Consumer<List<Delivery>> to = moveTo(State.ANSWERED);
        if (to == null) {
            return false;
        }
        to.accept(deliveries);
        end();
        return true;
    }

    /** How many of them an answer has room for, from the first on. */
    private static int fitting(List<Delivery> deliveries) {
        long bytes = 0;
        for (int i = 0; i < deliveries.size(); i++) {
            bytes += deliveries.get(i).payload().bytes().length;
            if (bytes > MAX_BYTES) {
                return Math.max(1, i);
            }
        }
        return deliveries.size();
    }

    @Override
    public void nothingNow() {
        if (answersAtOnce) {
            answerWithNothing();
        }
    }

    /** The wait is over. */
    void answerWithNothing() {
        deliver(List.of());
    }

    @Override
    public void end(ProblemException reason) {
        Consumer<Throwable> to;
        synchronized (lock) {
            to = failure;
        }
        if (moveTo(State.CANCELLED) != null) {
            if (to != null) {
                to.accept(reason);
            }
            end();
        }
    }

    private void end() {
        Runnable action;
        synchronized (lock) {
            action = ended;
        }
        action.run();
    }

    /** Leaves the waiting state; returns where the answer goes, or null if it was not waiting. */
    private @Nullable Consumer<List<Delivery>> moveTo(State next) {
        synchronized (lock) {
            if (state != State.WAITING) {
                if (state == State.PREPARED) {
                    state = next;
                }
                return null;
            }
            state = next;
            return writer;
        }
    }
}
