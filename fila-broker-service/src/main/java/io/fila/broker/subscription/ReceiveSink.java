package io.fila.broker.subscription;

import java.util.List;
import java.util.function.Consumer;

import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.DeliverySink;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/** A waiting {@code receive} as a consumer: ready for up to {@code max} deliveries, once. Safe for use by several threads. */
final class ReceiveSink implements DeliverySink, PendingReceive {

    private enum State {
        /** Nobody has said yet where the answer goes. */
        PREPARED,
        WAITING,
        ANSWERED,
        CANCELLED
    }

    private final int max;
    private final boolean answersAtOnce;
    private final Runnable started;
    private final Runnable ended;

    /** Guards what follows. */
    private final Object lock = new Object();

    private State state = State.PREPARED;
    private @Nullable Consumer<List<Delivery>> writer;
    private @Nullable Consumer<Throwable> failure;

    /**
     * @param answersAtOnce whether to answer with nothing as soon as there is nothing
     * @param started called when the answer is waited for
     * @param ended called once, when it has been given or is not wanted any more
     */
    ReceiveSink(int max, boolean answersAtOnce, Runnable started, Runnable ended) {
        this.max = max;
        this.answersAtOnce = answersAtOnce;
        this.started = started;
        this.ended = ended;
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
        started.run();
    }

    @Override
    public void cancel() {
        if (moveTo(State.CANCELLED) != null) {
            ended.run();
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
        Consumer<List<Delivery>> to = moveTo(State.ANSWERED);
        if (to == null) {
            return false;
        }
        to.accept(deliveries);
        ended.run();
        return true;
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
            ended.run();
        }
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
