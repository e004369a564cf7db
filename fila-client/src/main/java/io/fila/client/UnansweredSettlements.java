package io.fila.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.fila.protocol.v1.SubscribeRequest;

/**
 * What is to be sent, and what was sent and has no answer yet. What was sent on a stream that broke is sent again, in the
 * order in which it was handed over. Needs no bound of its own: a lease is settled once, leases are bounded by credit, and
 * what is not answered within the request timeout (as extensions while the connection is lost) is withdrawn. Guarded by the
 * lock of {@link Settlements}.
 */
final class UnansweredSettlements {

    private static final int MAX_PER_FRAME = 1_000;

    /** By number, so that those sent again come first. */
    private final TreeMap<Long, Settlement> unsent = new TreeMap<>();

    private final TreeMap<Long, TreeMap<Long, Settlement>> unansweredBySequence = new TreeMap<>();
    private long lastNumber;
    private long lastSequence;

    /** Returns the number under which {@link #withdraw} finds it. */
    long add(Settlement settlement) {
        unsent.put(++lastNumber, settlement);
        return lastNumber;
    }

    /** Nobody waits for this one any more; one that has been sent stays with its frame. */
    void withdraw(long number) {
        unsent.remove(number);
    }

    boolean isEmpty() {
        return unsent.isEmpty() && unansweredBySequence.isEmpty();
    }

    /** Moves what is unsent into the frame, up to its bound; false if there was nothing. */
    boolean writeTo(SubscribeRequest.Builder frame) {
        TreeMap<Long, Settlement> written = new TreeMap<>();
        Set<String> leases = new HashSet<>();
        Iterator<Map.Entry<Long, Settlement>> waiting = unsent.entrySet().iterator();
        boolean isFull = false;
        while (waiting.hasNext() && !isFull) {
            Map.Entry<Long, Settlement> next = waiting.next();
            boolean isRefusable = next.getValue().refusable();
            // an extension and an ack of one lease: the answer names leases, so one frame could not tell them apart
            if (!leases.add(next.getValue().lease()) || isRefusable && !written.isEmpty()) {
                break;
            }
            isFull = isRefusable || leases.size() == MAX_PER_FRAME;
            next.getValue().frame().accept(frame);
            written.put(next.getKey(), next.getValue());
            waiting.remove();
        }
        if (written.isEmpty()) {
            return false;
        }
        unansweredBySequence.put(++lastSequence, written);
        frame.setSequence(lastSequence);
        return true;
    }

    /** Takes the settlements of an answered frame; none if the answer belongs to no frame. */
    List<Settlement> takeAnswered(long sequence) {
        TreeMap<Long, Settlement> frame = unansweredBySequence.remove(sequence);
        return frame == null ? List.of() : List.copyOf(frame.values());
    }

    /** Their answers will not come any more: they are to be sent again. */
    void streamLost() {
        unansweredBySequence
                .values()
                .forEach(frame -> frame.forEach((number, settlement) -> {
                    if (!settlement.answer().isDone()) {
                        unsent.put(number, settlement);
                    }
                }));
        unansweredBySequence.clear();
    }

    /** Takes those that were sent, where sending them again would be wrong. */
    List<Settlement> takeSent() {
        List<Settlement> taken = new ArrayList<>();
        unansweredBySequence.values().forEach(frame -> taken.addAll(frame.values()));
        unansweredBySequence.clear();
        return taken;
    }

    List<Settlement> takeAll() {
        List<Settlement> taken = takeSent();
        taken.addAll(unsent.values());
        unsent.clear();
        return taken;
    }
}
