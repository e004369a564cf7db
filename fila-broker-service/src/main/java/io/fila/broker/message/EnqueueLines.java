package io.fila.broker.message;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;

/**
 * One line for each queue: its head is under way, the others wait. Batches are worked on side by side, so that two calls in a row may be
 * stored in either order; this is why the next is submitted only when the head is done, as one call with all that has come meanwhile.
 * What is submitted together has been classified call by call before, so that a call which its queue's script refuses fails alone.
 */
final class EnqueueLines implements EnqueueSequence {

    /** Of calls that go together: as much as a batch has. */
    private static final long MOST_TOGETHER = 4L << 20;

    private final Preparation preparation;
    private final Classification classification;
    private final Consumer<EnqueueCall> submission;
    private final EnqueueWaitingRoom room;

    /** Guards what follows. Neither calls nor answers are made under it. */
    private final Object lock = new Object();

    /** What waits behind the call that is under way, by the queue's id. */
    private final Map<Long, ArrayDeque<EnqueueCall>> lines = new HashMap<>();

    private boolean closed;

    /** Something could not be stored for now; null: nothing. What comes afterwards is not stored before it. */
    private @Nullable ProblemCode broken;

    /** Checks an enqueue; throws what is wrong with it. */
    @FunctionalInterface
    interface Preparation {
        EnqueueCall prepare(QueueName queue, List<NewMessage> messages);
    }

    /** Has the messages of a call classified; fails with what is wrong with it. */
    @FunctionalInterface
    interface Classification {
        CompletableFuture<EnqueueCall> classify(EnqueueCall call);
    }

    /** @param submission throws if the call is refused */
    EnqueueLines(
            Preparation preparation,
            Classification classification,
            Consumer<EnqueueCall> submission,
            EnqueueWaitingRoom room) {
        this.preparation = preparation;
        this.classification = classification;
        this.submission = submission;
        this.room = room;
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueue(QueueName queue, List<NewMessage> messages) {
        try {
            requireUnbroken(queue);
            EnqueueCall call = preparation.prepare(queue, messages);
            if (isHead(call)) {
                begin(List.of(call));
            }
            return call.answer();
        } catch (RuntimeException e) {
            breakOff(transientCode(e));
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        List<EnqueueCall> waiting = new ArrayList<>();
        synchronized (lock) {
            closed = true;
            lines.values().forEach(line -> waiting.addAll(leave(line, Long.MAX_VALUE)));
        }
        waiting.forEach(call -> call.fail(over()));
    }

    private void requireUnbroken(QueueName queue) {
        ProblemCode code;
        synchronized (lock) {
            code = broken;
        }
        if (code != null) {
            throw notBeforeTheOneAhead(code, queue);
        }
    }

    private void breakOff(@Nullable ProblemCode code) {
        synchronized (lock) {
            if (broken == null) {
                broken = code;
            }
        }
    }

    /** Whether nothing of its queue is under way; else it waits. */
    private boolean isHead(EnqueueCall call) {
        synchronized (lock) {
            if (closed) {
                throw over();
            }
            if (broken != null) {
                throw notBeforeTheOneAhead(broken, call.queue().name());
            }
            ArrayDeque<EnqueueCall> line = lines.get(call.queue().id());
            if (line == null) {
                lines.put(call.queue().id(), new ArrayDeque<>());
                return true;
            }
            room.enter(call.weight());
            line.add(call);
            return false;
        }
    }

    /** Begins with calls of one queue, which are under way from here on. */
    private void begin(List<EnqueueCall> calls) {
        List<CompletableFuture<EnqueueCall>> classified =
                calls.stream().map(classification::classify).toList();
        CompletableFuture.allOf(classified.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> submit(calls, classified));
    }

    /** Submits those that were classified, up to the first that could not be for now. */
    private void submit(List<EnqueueCall> calls, List<CompletableFuture<EnqueueCall>> classified) {
        List<EnqueueCall> storable = new ArrayList<>();
        @Nullable ProblemCode transientProblem = null;
        for (int i = 0; i < calls.size(); i++) {
            EnqueueCall call = calls.get(i);
            if (transientProblem != null) {
                call.fail(notBeforeTheOneAhead(transientProblem, call.queue().name()));
                continue;
            }
            try {
                storable.add(classified.get(i).join());
            } catch (CompletionException e) {
                call.fail(e.getCause() instanceof RuntimeException problem ? problem : e);
                transientProblem = transientCode(e);
            }
        }
        // before the others are stored, or what comes meanwhile might get past the one that was not
        breakOff(transientProblem);
        if (storable.isEmpty()) {
            next(calls.get(0), transientProblem);
            return;
        }
        EnqueueCall together = EnqueueCall.joined(storable);
        ProblemCode unclassified = transientProblem;
        together.answer().whenComplete((results, failure) -> {
            ProblemCode notStored = transientCode(failure);
            next(together, notStored == null ? unclassified : notStored);
        });
        try {
            submission.accept(together);
        } catch (RuntimeException e) {
            together.fail(e);
        }
    }

    /** Begins with what has come meanwhile, or fails it if what was ahead of it has not been stored for now. */
    private void next(EnqueueCall done, @Nullable ProblemCode transientProblem) {
        List<EnqueueCall> taken;
        synchronized (lock) {
            if (broken == null) {
                broken = transientProblem;
            }
            ArrayDeque<EnqueueCall> line = lines.get(done.queue().id());
            if (line == null) {
                return;
            }
            taken = leave(line, transientProblem == null ? MOST_TOGETHER : Long.MAX_VALUE);
            if (taken.isEmpty() || transientProblem != null) {
                lines.remove(done.queue().id());
            }
        }
        if (transientProblem != null) {
            taken.forEach(call -> call.fail(
                    notBeforeTheOneAhead(transientProblem, call.queue().name())));
        } else if (!taken.isEmpty()) {
            begin(taken);
        }
    }

    /** Takes calls of at most this weight together, but one at least if there is one. */
    private List<EnqueueCall> leave(ArrayDeque<EnqueueCall> line, long most) {
        List<EnqueueCall> taken = new ArrayList<>();
        long weight = 0;
        while (!line.isEmpty() && (taken.isEmpty() || weight + line.element().weight() <= most)) {
            weight += line.element().weight();
            taken.add(line.remove());
        }
        room.leave(weight);
        return taken;
    }

    /** That of a failure which may be over when it is tried again; null of any other, and of none. */
    private static @Nullable ProblemCode transientCode(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof ProblemException problem && problem.code().isTransient() ? problem.code() : null;
    }

    private static ProblemException notBeforeTheOneAhead(ProblemCode code, QueueName queue) {
        return new ProblemException(
                code,
                "what was sent ahead of it could not be stored, so nothing was done for queue '%s'; send all of it again, in its order"
                        .formatted(queue),
                Duration.ofSeconds(1),
                null);
    }

    private static ProblemException over() {
        return new ProblemException(
                ProblemCode.STORAGE_UNAVAILABLE,
                "the producer's stream ended before its turn, so nothing was done; send it again",
                Duration.ofSeconds(1),
                null);
    }
}
