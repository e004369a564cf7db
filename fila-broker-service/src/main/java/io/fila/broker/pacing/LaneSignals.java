package io.fila.broker.pacing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.fila.broker.message.ReadySignals.Sample;
import io.fila.broker.message.Weight;
import io.fila.broker.throttle.Keyed;
import org.jspecify.annotations.Nullable;

/** What was signalled of a queue's lanes since its loop last looked, one entry for a lane. Safe for use by several threads. */
final class LaneSignals {

    private final ConcurrentHashMap<UUID, Signal> signals = new ConcurrentHashMap<>();

    /**
     * @param mayHaveLeft not only have messages arrived
     * @param weight that of the latest message, as far as is known
     */
    record Signal(
            long first,
            int count,
            boolean mayHaveLeft,
            @Nullable Keyed keyed,
            @Nullable Weight weight) {

        private Signal and(Signal other) {
            return new Signal(
                    Math.min(first, other.first),
                    (int) Math.min(Integer.MAX_VALUE, (long) count + other.count),
                    mayHaveLeft || other.mayHaveLeft,
                    other.keyed == null ? keyed : other.keyed,
                    Weight.latestOf(weight, other.weight));
        }
    }

    void add(UUID lane, long first, int count, @Nullable Sample sample) {
        Signal signal = sample == null
                ? new Signal(first, count, true, null, null)
                : new Signal(first, count, false, sample.keyed(), sample.weight());
        signals.merge(lane, signal, Signal::and);
    }

    boolean isEmpty() {
        return signals.isEmpty();
    }

    /** What has come so far; what comes meanwhile is left for the next time. */
    Map<UUID, Signal> takeAll() {
        Map<UUID, Signal> taken = new HashMap<>();
        for (UUID lane : List.copyOf(signals.keySet())) {
            Signal signal = signals.remove(lane);
            if (signal != null) {
                taken.put(lane, signal);
            }
        }
        return taken;
    }
}
