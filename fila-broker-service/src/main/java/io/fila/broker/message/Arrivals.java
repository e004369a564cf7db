package io.fila.broker.message;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import io.fila.broker.message.EnqueueStore.Key;
import io.fila.broker.message.EnqueueStore.Stored;
import io.fila.broker.queue.Queue;
import io.fila.broker.queue.QueueDirectory;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Makes known what has been stored: to the callers, and to whoever is waiting for messages. */
@Component
class Arrivals {

    private final QueueDirectory queues;
    private final ReadySignals signals;
    private final DelayedPromoter promoter;
    private final Reclassifier reclassifier;
    private final MessageMeters meters;

    Arrivals(
            QueueDirectory queues,
            ReadySignals signals,
            DelayedPromoter promoter,
            Reclassifier reclassifier,
            MessageMeters meters) {
        this.queues = queues;
        this.signals = signals;
        this.promoter = promoter;
        this.reclassifier = reclassifier;
        this.meters = meters;
    }

    /** Answers the calls of a batch, and tells who is to know. */
    void announce(List<EnqueueCall> batch, EnqueueStore.Outcome outcome) {
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
            if (row.state() == MessageState.UNCLASSIFIED) {
                reclassifier.dueAt(Objects.requireNonNull(row.availableAt()).toInstant());
            } else if (row.availableAt() != null) {
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
