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
 * Judges a history of deliveries: for every bucket and limit the most in any window, how much of the limit was used, and how long
 * after they could go messages went. Pure computation; the cost grows as {@code n log n} with the deliveries.
 */
public final class HistoryChecker {

    private HistoryChecker() {}

    /**
     * Checks a history.
     *
     * @param deliveries of all nodes
     * @param limits of each throttle that is to be judged; deliveries of other throttles are passed over
     */
    public static Report check(List<DeliveredMessage> deliveries, Map<String, List<WindowLimit>> limits) {
        List<DeliveredMessage> sorted = new ArrayList<>(deliveries);
        sorted.sort(Comparator.comparing(DeliveredMessage::from));
        Map<BucketName, List<DeliveredMessage>> byBucket = new LinkedHashMap<>();
        for (DeliveredMessage delivery : sorted) {
            for (BucketName bucket : delivery.buckets()) {
                if (limits.containsKey(bucket.throttle())) {
                    byBucket.computeIfAbsent(bucket, key -> new ArrayList<>()).add(delivery);
                }
            }
        }
        List<Report.LimitUse> uses = new ArrayList<>();
        byBucket.forEach((bucket, of) -> {
            for (WindowLimit limit : limits.getOrDefault(bucket.throttle(), List.of())) {
                uses.add(use(bucket, limit, of));
            }
        });
        return new Report(sorted.size(), uses, delays(sorted, limits));
    }

    private static Report.LimitUse use(BucketName bucket, WindowLimit limit, List<DeliveredMessage> deliveries) {
        long window = limit.window().toNanos();
        long[] from = deliveries.stream().mapToLong(d -> nanos(d.from())).toArray();
        long[] to = deliveries.stream().mapToLong(d -> nanos(d.to())).sorted().toArray();
        int most = 0;
        Instant mostFrom = deliveries.get(0).from();
        int excesses = 0;
        // of the earlier ones, those that may have been handed over after the window's end
        PriorityQueue<Long> beyond = new PriorityQueue<>();
        for (int first = 0, ended = 0; first < from.length; first++) {
            long end = from[first] + window;
            while (ended < to.length && to[ended] < end) {
                ended++;
            }
            while (!beyond.isEmpty() && beyond.element() < end) {
                beyond.remove();
            }
            // surely in the window that begins with this one: handed over before its end, and not before this one
            int inWindow = ended - (first - beyond.size());
            beyond.add(nanos(deliveries.get(first).to()));
            if (inWindow > most) {
                most = inWindow;
                mostFrom = deliveries.get(first).from();
            }
            if (inWindow > limit.count()) {
                excesses++;
            }
        }
        return new Report.LimitUse(
                bucket, limit, from.length, most, mostFrom, excesses, utilisation(limit, from[0], to, window));
    }

    /** Of what the limit allows after its first use, how much was used until the last delivery; NaN if there is too little to tell. */
    private static double utilisation(WindowLimit limit, long first, long[] to, long window) {
        long span = to[to.length - 1] - first;
        int after = to.length - limit.count();
        return after < limit.count() || span < window ? Double.NaN : (double) after * window / limit.count() / span;
    }

    /**
     * How long after it could go each message went, of those that had to wait for room: after it was enqueued, and after the last of
     * its buckets had room, which is one window after the delivery that is as many before it as the limit allows.
     */
    private static List<Report.Delay> delays(List<DeliveredMessage> sorted, Map<String, List<WindowLimit>> limits) {
        Map<BucketName, List<Instant>> before = new HashMap<>();
        List<Report.Delay> delays = new ArrayList<>();
        for (DeliveredMessage delivery : sorted) {
            Instant room = Instant.MIN;
            for (BucketName bucket : delivery.buckets()) {
                List<WindowLimit> held = limits.get(bucket.throttle());
                if (held == null) {
                    continue;
                }
                List<Instant> earlier = before.computeIfAbsent(bucket, key -> new ArrayList<>());
                for (WindowLimit limit : held) {
                    if (earlier.size() >= limit.count()) {
                        Instant opens =
                                earlier.get(earlier.size() - limit.count()).plus(limit.window());
                        room = opens.isAfter(room) ? opens : room;
                    }
                }
                earlier.add(delivery.to());
            }
            if (delivery.attempt() == 1 && room.isAfter(delivery.enqueuedAt())) {
                Duration delay = Duration.between(room, delivery.from());
                delays.add(new Report.Delay(delivery, delay.isNegative() ? Duration.ZERO : delay));
            }
        }
        delays.sort(Comparator.comparing(Report.Delay::delay));
        return delays;
    }

    private static long nanos(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }
}
