package io.fila.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.fila.protocol.v1.EnqueueResponse;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages with natural batching: while one request to a queue is under way, single sends to it accumulate and share the
 * next request. A lone caller never waits for company.
 */
final class MessageSender {

    private final BrokerConnection broker;
    private final SendLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    /** Something left the waiting sends, a call ended, or the sender was closed. */
    private final Condition changed = lock.newCondition();

    // guarded by lock
    private final WaitingSends waitingSends;
    /** The outboxes of single sends that are in {@link #ready} or have a call under way. */
    private final Map<String, Outbox> outboxes = new HashMap<>();

    private final ArrayDeque<Outbox> ready = new ArrayDeque<>();
    private int callsUnderWay;
    private boolean closed;

    MessageSender(BrokerConnection broker, SendLimits limits) {
        this.broker = broker;
        this.limits = limits;
        this.waitingSends = new WaitingSends(limits);
    }

    /** Hands over one message; where too much waits already, {@code patient} callers wait until their deadline. */
    CompletableFuture<SendResult> send(String queue, OutgoingMessage message, boolean patient) {
        PendingSend<SendResult> send = PendingSend.one(ToProtocol.message(message), deadline());
        return submit(queue, send, true, patient);
    }

    /** Hands over messages that stay together in a request of their own. */
    CompletableFuture<List<SendResult>> sendAll(String queue, List<OutgoingMessage> messages, boolean patient) {
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("messages for queue '" + queue + "' must not be empty");
        }
        PendingSend<List<SendResult>> send =
                PendingSend.all(messages.stream().map(ToProtocol::message).toList(), deadline());
        return submit(queue, send, false, patient);
    }

    private long deadline() {
        return System.nanoTime() + broker.requestTimeout().toNanos();
    }

    private <T> CompletableFuture<T> submit(String queue, PendingSend<T> send, boolean mergeable, boolean patient) {
        lock.lock();
        try {
            FilaException refusal = awaitAdmission(queue, send, patient);
            if (refusal != null) {
                send.fail(refusal);
                return send.answer();
            }
            enter(queue, send, mergeable);
        } finally {
            lock.unlock();
        }
        failWhenDue(queue, send);
        dispatch();
        return send.answer();
    }

    /** Returns why the send is refused, or null. */
    private @Nullable FilaException awaitAdmission(String queue, PendingSend<?> send, boolean patient) {
        while (!closed && !waitingSends.admits(send)) {
            long left = send.deadlineNanos() - System.nanoTime();
            if (!patient || left <= 0) {
                return new FilaException(
                        BrokerErrors.OVERLOADED,
                        "could not send to queue '" + queue + "': more than " + limits.waitingMessages()
                                + " messages or " + limits.waitingBytes()
                                + " bytes wait to be sent already; send more slowly, or check the broker at "
                                + broker.address(),
                        true,
                        null);
            }
            try {
                changed.awaitNanos(left);
            } catch (InterruptedException e) {
                throw Answers.interrupted(e);
            }
        }
        return closed ? BrokerErrors.closed(sendTo(queue)) : null;
    }

    private void enter(String queue, PendingSend<?> send, boolean mergeable) {
        Outbox outbox = mergeable ? outboxes.get(queue) : null;
        if (outbox == null) {
            outbox = new Outbox(queue, waitingSends);
            ready.add(outbox);
            if (mergeable) {
                outboxes.put(queue, outbox);
            }
        }
        outbox.add(send);
    }

    private void failWhenDue(String queue, PendingSend<?> send) {
        Duration left = Duration.ofNanos(Math.max(0, send.deadlineNanos() - System.nanoTime()));
        Future<?> timer = broker.after(left, () -> send.fail(broker.errors().timedOut(sendTo(queue), null)));
        send.answer().whenComplete((result, problem) -> timer.cancel(false));
    }

    private void dispatch() {
        for (EnqueueBatch batch = takeNext(); batch != null; batch = takeNext()) {
            call(batch);
        }
    }

    private @Nullable EnqueueBatch takeNext() {
        lock.lock();
        try {
            while (callsUnderWay < limits.calls() && !ready.isEmpty()) {
                Outbox outbox = ready.remove();
                EnqueueBatch batch = outbox.next(limits);
                changed.signalAll();
                if (batch != null) {
                    callsUnderWay++;
                    return batch;
                }
                outboxes.remove(outbox.queue(), outbox);
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void call(EnqueueBatch batch) {
        long left = batch.deadlineNanos() - System.nanoTime();
        Answers<EnqueueResponse> answers = new Answers<>();
        broker.messages().withDeadlineAfter(left, TimeUnit.NANOSECONDS).enqueue(batch.request(), answers);
        answers.future().whenComplete((response, error) -> finish(batch, response, error));
    }

    private void finish(EnqueueBatch batch, @Nullable EnqueueResponse response, @Nullable Throwable error) {
        FilaException problem = error == null ? null : problem(batch, error);
        boolean halve = problem != null && batch.mayHoldGuiltyMessage(problem);
        callEnded(batch, halve);
        // the next request is on its way before foreign code runs in the futures of this one
        dispatch();
        if (response != null) {
            batch.complete(response);
        } else if (problem != null && !halve) {
            batch.fail(problem);
        }
    }

    private FilaException problem(EnqueueBatch batch, Throwable error) {
        String activity = sendTo(batch.outbox().queue());
        FilaException problem = broker.errors().failed(activity, error);
        if (!problem.code().equals(BrokerErrors.UNREACHABLE)) {
            return problem;
        }
        broker.reconnectSoon();
        return isClosed() ? BrokerErrors.closed(activity) : problem;
    }

    private void callEnded(EnqueueBatch batch, boolean halve) {
        Outbox outbox = batch.outbox();
        lock.lock();
        try {
            callsUnderWay--;
            if (halve) {
                outbox.putBackHalved(batch.sends());
            }
            if (outbox.isEmpty()) {
                outboxes.remove(outbox.queue(), outbox);
            } else {
                ready.add(outbox);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses new sends, waits for those under way, and fails what is left after {@code patience}. */
    void close(Duration patience) {
        List<PendingSend<?>> left = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            long nanos = patience.toNanos();
            while (nanos > 0 && (callsUnderWay > 0 || !ready.isEmpty())) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ready.forEach(outbox -> left.addAll(outbox.clear()));
            outboxes.values().forEach(outbox -> left.addAll(outbox.clear()));
            lock.unlock();
        }
        left.forEach(send -> send.fail(BrokerErrors.closed("send the message")));
    }

    private static String sendTo(String queue) {
        return "send to queue '" + queue + "'";
    }
}
