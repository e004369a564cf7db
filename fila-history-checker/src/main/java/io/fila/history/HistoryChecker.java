package io.fila.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Judges a history of deliveries and permits: for every bucket and limit the most in any window, how much of the limit was used,
 * and how long after they could go messages went. Pure computation; the cost grows as {@code n log n} with the entries of the
 * history, however many permits one of them has.
 */
public final class HistoryChecker {

    private HistoryChecker() {}

    /**
     * Checks a history.
     *
     * @param history of all nodes
     * @param limits of each throttle that is to be judged; what was counted in other throttles is passed over
     */
    public static Report check(List<? extends Counted> history, Map<String, List<WindowLimit>> limits) {
        List<Counted> sorted = new ArrayList<>(history);
        sorted.sort(Comparator.comparing(Counted::from));
        Map<BucketName, List<Counted>> byBucket = new LinkedHashMap<>();
        int deliveries = 0;
        long permits = 0;
        for (Counted one : sorted) {
            if (one instanceof GrantedPermits) {
                permits += one.count();
            } else {
                deliveries++;
            }
            for (BucketName bucket : one.buckets()) {
                if (limits.containsKey(bucket.throttle())) {
                    byBucket.computeIfAbsent(bucket, key -> new ArrayList<>()).add(one);
                }
            }
        }
        List<Report.LimitUse> uses = new ArrayList<>();
        byBucket.forEach((bucket, of) -> {
            for (WindowLimit limit : limits.getOrDefault(bucket.throttle(), List.of())) {
                uses.add(use(bucket, limit, of));
            }
        });
        return new Report(deliveries, permits, uses, delays(sorted, limits));
    }

    /** @param history of the bucket, in order of {@code from} */
    private static Report.LimitUse use(BucketName bucket, WindowLimit limit, List<Counted> history) {
        List<Counted> byEnd = new ArrayList<>(history);
        byEnd.sort(Comparator.comparing(Counted::to));
        long most = 0;
        Instant mostFrom = history.get(0).from();
        int excesses = 0;
        // running totals: of what was handed over before the window's end, and of what came before the window's first
        int next = 0;
        long ended = 0;
        long before = 0;
        // of what came before, what may have been handed over after the window's end, and its total
        PriorityQueue<Counted> beyond = new PriorityQueue<>(Comparator.comparing(Counted::to));
        long inBeyond = 0;
        for (Counted first : history) {
            Instant end = first.from().plus(limit.window());
            while (next < byEnd.size() && byEnd.get(next).to().isBefore(end)) {
                ended += byEnd.get(next++).count();
            }
            while (!beyond.isEmpty() && beyond.element().to().isBefore(end)) {
                inBeyond -= beyond.remove().count();
            }
            // surely in the window that begins with this one: handed over before its end, and not before this one
            long inWindow = ended - (before - inBeyond);
            before += first.count();
            inBeyond += first.count();
            beyond.add(first);
            if (inWindow > most) {
                most = inWindow;
                mostFrom = first.from();
            }
            if (inWindow > limit.count()) {
                excesses++;
            }
        }
        return new Report.LimitUse(bucket, limit, before, most, mostFrom, excesses, utilisation(limit, byEnd));
    }

    /**
     * Of what the limit allows from the moment on at which it was first used up, how much was used until the last of all; NaN if there is
     * too little to tell. (Not from the first use on: a window's worth may come over some time, which then counts once more at the end.)
     */
    private static double utilisation(WindowLimit limit, List<Counted> byEnd) {
        Instant last = byEnd.get(byEnd.size() - 1).to();
        Instant usedUp = last;
        long total = 0;
        for (Counted one : byEnd) {
            if (total < limit.count() && total + one.count() >= limit.count()) {
                usedUp = one.to();
            }
            total += one.count();
        }
        long after = total - limit.count();
        Duration span = Duration.between(usedUp, last);
        if (after < limit.count() || span.compareTo(limit.window()) < 0) {
            return Double.NaN;
        }
        return (double) after * limit.window().toNanos() / limit.count() / span.toNanos();
    }

    /**
     * How long after it could go each message went, of those that had to wait for room: after it was enqueued, and after the last of
     * its buckets had room. Whoever asks for permits is not kept waiting, so there are no delays of them.
     */
    private static List<Report.Delay> delays(List<Counted> sorted, Map<String, List<WindowLimit>> limits) {
        Map<BucketName, Tally> tallies = new HashMap<>();
        List<Report.Delay> delays = new ArrayList<>();
        for (Counted one : sorted) {
            Instant room = Instant.MIN;
            for (BucketName bucket : one.buckets()) {
                List<WindowLimit> held = limits.get(bucket.throttle());
                if (held == null) {
                    continue;
                }
                Tally tally = tallies.computeIfAbsent(bucket, key -> new Tally());
                for (WindowLimit limit : held) {
                    Instant opens = tally.roomAt(limit);
                    room = opens.isAfter(room) ? opens : room;
                }
                tally.add(one);
            }
            if (one instanceof DeliveredMessage delivery
                    && delivery.attempt() == 1
                    && room.isAfter(delivery.enqueuedAt())) {
                Duration delay = Duration.between(room, delivery.from());
                delays.add(new Report.Delay(delivery, delay.isNegative() ? Duration.ZERO : delay));
            }
        }
        delays.sort(Comparator.comparing(Report.Delay::delay));
        return delays;
    }
}
