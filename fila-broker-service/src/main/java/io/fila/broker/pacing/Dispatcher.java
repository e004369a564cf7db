package io.fila.broker.pacing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

import io.fila.broker.message.Delivery;
import io.fila.broker.pacing.Claimed.Leased;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands leased messages to the consumers of a queue, in turn, as far as their credit goes; and nothing after its deadline
 * (invariant I2). Safe for use by several threads: one hands over at a time.
 */
final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final List<DeliverySink> sinks = new CopyOnWriteArrayList<>();
    private final LongSupplier nanoTime;

    /** Whose turn it is. Guarded by this. */
    private int turn;

    Dispatcher(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * What came of sending.
     *
     * @param late what was left over because the deadline had passed
     * @param unwanted what was left over because consumers had gone
     */
    record Sent(List<Handover> handovers, List<Leased> late, List<Leased> unwanted) {

        /** What is to be given back. */
        List<Leased> unsent() {
            List<Leased> unsent = new ArrayList<>(late);
            unsent.addAll(unwanted);
            return unsent;
        }

        int count() {
            return handovers.stream().mapToInt(one -> one.messages().size()).sum();
        }

        /** By when all of it had been handed over, by this node's clock; {@code otherwise} if nothing was. */
        long by(long otherwise) {
            return handovers.stream().mapToLong(Handover::by).max().orElse(otherwise);
        }
    }

    /** Messages that were handed over, not before {@code from} and not after {@code to}, which is {@code by} on this node's clock. */
    record Handover(List<Leased> messages, Instant from, Instant to, long by) {}

    void add(DeliverySink sink) {
        sinks.add(sink);
    }

    void remove(DeliverySink sink) {
        sinks.remove(sink);
    }

    List<DeliverySink> sinks() {
        return sinks;
    }

    boolean isEmpty() {
        return sinks.isEmpty();
    }

    /** How many deliveries the consumers are ready for together, up to {@code most}. */
    int credit(int most) {
        long credit = 0;
        for (DeliverySink sink : sinks) {
            credit += Math.max(0, sink.credit());
        }
        return (int) Math.min(most, credit);
    }

    /** Sends; {@code deadline} is on the clock that {@code nanoTime} reads. */
    synchronized Sent send(List<Leased> leased, long deadline) {
        Sent sent = new Sent(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<Leased> left = leased;
        while (!left.isEmpty()) {
            Map<DeliverySink, List<Leased>> assigned = new LinkedHashMap<>();
            List<Leased> unassigned = assign(left, assigned);
            List<Leased> refused = new ArrayList<>();
            assigned.forEach((sink, messages) -> {
                List<Delivery> deliveries =
                        messages.stream().map(Leased::delivery).toList();
                Instant from = Instant.now();
                if (nanoTime.getAsLong() - deadline >= 0) {
                    sent.late().addAll(messages);
                } else if (deliver(sink, deliveries)) {
                    sent.handovers().add(new Handover(messages, from, Instant.now(), nanoTime.getAsLong()));
                } else {
                    refused.addAll(messages);
                }
            });
            boolean areAllRefused = refused.size()
                    == assigned.values().stream().mapToInt(List::size).sum();
            refused.addAll(unassigned);
            if (areAllRefused) {
                sent.unwanted().addAll(refused);
                return sent;
            }
            left = refused;
        }
        return sent;
    }

    /** What has failed half-way may have been sent: it is taken for sent, and returns when its leases expire. */
    private static boolean deliver(DeliverySink sink, List<Delivery> deliveries) {
        try {
            return sink.deliver(deliveries);
        } catch (RuntimeException | Error e) {
            log.error(
                    "a consumer could not take {} messages; they return when their leases expire",
                    deliveries.size(),
                    e);
            return true;
        }
    }

    /** Deals messages out in turn; returns those that nobody has credit for. */
    private List<Leased> assign(List<Leased> messages, Map<DeliverySink, List<Leased>> assigned) {
        List<DeliverySink> present = List.copyOf(sinks);
        Map<DeliverySink, Integer> credit = new HashMap<>();
        present.forEach(sink -> credit.put(sink, Math.max(0, sink.credit())));
        List<Leased> unassigned = new ArrayList<>();
        for (Leased message : messages) {
            boolean isAssigned = false;
            for (int tried = 0; tried < present.size() && !isAssigned; tried++) {
                DeliverySink sink = present.get(Math.floorMod(turn++, present.size()));
                if (credit.getOrDefault(sink, 0) > 0) {
                    credit.merge(sink, -1, Integer::sum);
                    assigned.computeIfAbsent(sink, key -> new ArrayList<>()).add(message);
                    isAssigned = true;
                }
            }
            if (!isAssigned) {
                unassigned.add(message);
            }
        }
        return unassigned;
    }
}
