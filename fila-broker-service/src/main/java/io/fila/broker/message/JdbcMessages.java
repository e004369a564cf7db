package io.fila.broker.message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.PreDestroy;

import io.fila.broker.jdbc.Batcher;
import io.fila.broker.jdbc.Database;
import io.fila.broker.message.EnqueueStore.Key;
import io.fila.broker.message.EnqueueStore.Stored;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueDirectory;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** {@link Messages} in PostgreSQL. */
@Service
class JdbcMessages implements Messages {

    private static final Batcher.Bounds BOUNDS = new Batcher.Bounds(2, 4L << 20, 64L << 20, Database.PATIENCE);
    private static final Batcher.Bounds ORDERED_BOUNDS = new Batcher.Bounds(1, 4L << 20, 64L << 20, Database.PATIENCE);

    private final QueueDirectory queues;
    private final MessageCheck check;
    private final BacklogBound backlogs;
    private final EnqueueStore store;
    private final MessageViews views;
    private final ReadySignals signals;
    private final DelayedPromoter promoter;
    private final MessageMeters meters;
    private final Batcher<EnqueueCall> batcher;

    /** Apart from the others: arrivals in an ordered queue take turns with those of other nodes, and nobody else waits for that. */
    private final Batcher<EnqueueCall> orderedBatcher;

    private final EnqueueWaitingRoom waitingRoom = new EnqueueWaitingRoom(BOUNDS.waitingWeight());

    JdbcMessages(
            QueueDirectory queues,
            MessageCheck check,
            BacklogBound backlogs,
            EnqueueStore store,
            MessageViews views,
            ReadySignals signals,
            DelayedPromoter promoter,
            MessageMeters meters) {
        this.queues = queues;
        this.check = check;
        this.backlogs = backlogs;
        this.store = store;
        this.views = views;
        this.signals = signals;
        this.promoter = promoter;
        this.meters = meters;
        this.batcher = new Batcher<>("enqueue", BOUNDS, this::work);
        this.orderedBatcher = new Batcher<>("enqueue-ordered", ORDERED_BOUNDS, this::work);
    }

    @Override
    public CompletableFuture<List<Enqueued>> enqueue(QueueName name, List<NewMessage> messages, boolean indexed) {
        try {
            EnqueueCall call = prepare(name, messages, indexed);
            submit(call);
            return call.answer();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public EnqueueSequence sequence() {
        return new EnqueueLines(
                (name, messages) -> prepare(name, messages, messages.size() > 1), this::submit, waitingRoom);
    }

    private void submit(EnqueueCall call) {
        (call.queue().settings().ordering() == null ? batcher : orderedBatcher).submit(call);
    }

    private EnqueueCall prepare(QueueName name, List<NewMessage> messages, boolean indexed) {
        long bytes = check.requireValid(messages, indexed);
        Queue queue = queues.get(name);
        MessageCheck.requireOrderingKey(queue, messages, indexed);
        backlogs.admit(queue, messages.size());
        return EnqueueCall.of(queue, messages, bytes);
    }

    @Override
    public MessageView get(UUID id) {
        return views.get(id);
    }

    @Override
    public Page list(QueueName queue, @Nullable MessageState state, int limit, @Nullable String after) {
        return views.list(queue, state, limit, after);
    }

    @Override
    public void cancel(UUID id, @Nullable QueueName queue) {
        MessageViews.Cancelled cancelled = views.cancel(id, queue);
        if (cancelled.group() != null) {
            // the next of its ordering group may go
            signals.ready(cancelled.queueId(), cancelled.group(), cancelled.sequence() + 1, 1, null);
        }
    }

    @PreDestroy
    void close() {
        batcher.close();
        orderedBatcher.close();
    }

    private void work(List<EnqueueCall> batch) {
        EnqueueStore.Outcome outcome = store.insert(batch);
        Map<Key, Stored> stored = new HashMap<>(outcome.stored());
        Map<QueueLane, Arrival> arrivals = new HashMap<>();
        for (EnqueueCall call : batch) {
            if (outcome.queues().contains(call.queue().id())) {
                answer(call, stored, arrivals);
            } else {
                queues.forget(call.queue().name());
                call.fail(EnqueueStore.queueIsGone(call.queue()));
            }
        }
        arrivals.forEach((lane, arrival) ->
                signals.ready(lane.queueId(), lane.lane(), arrival.first, arrival.count, arrival.sample()));
    }

    /** Takes each message's row out of {@code stored}: the same id again in one batch is a duplicate. */
    private void answer(EnqueueCall call, Map<Key, Stored> stored, Map<QueueLane, Arrival> arrivals) {
        Queue queue = call.queue();
        List<Enqueued> answers = new ArrayList<>(call.ids().size());
        int count = 0;
        for (int i = 0; i < call.ids().size(); i++) {
            UUID id = call.ids().get(i);
            Stored row = stored.remove(new Key(queue.id(), id));
            answers.add(new Enqueued(id, row == null));
            if (row == null) {
                continue;
            }
            count++;
            if (row.availableAt() != null) {
                promoter.delayedUntil(row.availableAt().toInstant());
            } else {
                NewMessage message = call.messages().get(i);
                arrivals.computeIfAbsent(new QueueLane(queue.id(), row.lane()), lane -> new Arrival())
                        .add(row.sequence(), message);
            }
        }
        meters.enqueued(queue.name(), count);
        call.answer().complete(answers);
    }

    /** A lane: queues whose lanes are told apart by the same components share their names. */
    private record QueueLane(long queueId, UUID lane) {}

    /** What arrived in one lane. */
    private static final class Arrival {

        long first = Long.MAX_VALUE;
        int count;
        private long last = Long.MIN_VALUE;
        private @Nullable NewMessage latest;

        void add(long sequence, NewMessage message) {
            first = Math.min(first, sequence);
            count++;
            if (sequence > last) {
                last = sequence;
                latest = message;
            }
        }

        ReadySignals.@Nullable Sample sample() {
            return latest == null ? null : new ReadySignals.Sample(latest, new Weight(latest.weight(), last));
        }
    }
}
