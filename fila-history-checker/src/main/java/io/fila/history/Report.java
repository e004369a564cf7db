package io.fila.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a history comes to.
 *
 * @param deliveries how many deliveries there were in all
 * @param permits how many permits were granted in all
 * @param uses one for each limit of each bucket
 * @param delays of the messages that had to wait for room, how long after there was room they went, the shortest first
 */
public record Report(int deliveries, long permits, List<LimitUse> uses, List<Delay> delays) {

    /** Later than this after it could go, a message's delivery is called out. */
    private static final Duration LATE = Duration.ofMillis(100);

    private static final int SHOWN = 5;

    /**
     * How a bucket used a limit.
     *
     * @param count how many deliveries and permits there were
     * @param most the most of them that were surely handed over in any one window
     * @param mostFrom where that window begins
     * @param excesses in how many windows that begin with a delivery or a grant of permits there were more than allowed
     * @param utilisation of what the limit allows after it was first used up, how much was used until the last one; it says something
     *     only of a bucket that had messages waiting all the time. NaN if there were too few
     */
    public record LimitUse(
            BucketName bucket,
            WindowLimit limit,
            long count,
            long most,
            Instant mostFrom,
            int excesses,
            double utilisation) {}

    /** How long after it could go a message went: other messages, or consumers without credit, may be why. */
    public record Delay(DeliveredMessage delivery, Duration delay) {}

    /** Whether no window of any limit was exceeded. */
    public boolean isWithinLimits() {
        return uses.stream().allMatch(use -> use.excesses() == 0);
    }

    /** The delay that {@code percent} of the messages that had to wait did not exceed; zero if none had to. */
    public Duration delayPercentile(double percent) {
        if (delays.isEmpty()) {
            return Duration.ZERO;
        }
        int index = (int) Math.ceil(percent / 100 * delays.size()) - 1;
        return delays.get(Math.max(0, index)).delay();
    }

    /** For people. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("deliveries: ").append(deliveries).append('\n');
        if (permits > 0) {
            text.append("permits: ").append(permits).append('\n');
        }
        Map<String, List<LimitUse>> byLimit = new LinkedHashMap<>();
        uses.forEach(
                use -> byLimit.computeIfAbsent(use.bucket().throttle() + " " + use.limit(), key -> new ArrayList<>())
                        .add(use));
        byLimit.forEach((name, of) -> text.append(summary(name, of)));
        uses.stream()
                .filter(use -> use.excesses() > 0)
                .limit(SHOWN)
                .forEach(use -> text.append("  EXCEEDED: %s %s: %d from %s on%n"
                        .formatted(use.bucket(), use.limit(), use.most(), use.mostFrom())));
        text.append("room to delivery, of %d that waited for room: median %s, 99 %% %s, most %s%n"
                .formatted(
                        delays.size(),
                        millis(delayPercentile(50)),
                        millis(delayPercentile(99)),
                        millis(delayPercentile(100))));
        List<Delay> late =
                delays.stream().filter(one -> one.delay().compareTo(LATE) > 0).toList();
        if (!late.isEmpty()) {
            text.append("  later than %s: %d%n".formatted(millis(LATE), late.size()));
            late.subList(Math.max(0, late.size() - SHOWN), late.size())
                    .forEach(one -> text.append("    %s after room: message %s of queue %s at %s%n"
                            .formatted(
                                    millis(one.delay()),
                                    one.delivery().message(),
                                    one.delivery().queue(),
                                    one.delivery().from())));
        }
        return text.toString();
    }

    private static String summary(String name, List<LimitUse> uses) {
        long most = uses.stream().mapToLong(LimitUse::most).max().orElse(0);
        int excesses = uses.stream().mapToInt(LimitUse::excesses).sum();
        DoubleSummaryStatistics used = uses.stream()
                .mapToDouble(LimitUse::utilisation)
                .filter(value -> !Double.isNaN(value))
                .summaryStatistics();
        String utilisation = used.getCount() == 0
                ? "too few to tell"
                : String.format(Locale.ROOT, "%.2f %% (least %.2f %%)", used.getAverage() * 100, used.getMin() * 100);
        return "%s: %d buckets, most in any window %d, windows exceeded %d, utilisation %s%n"
                .formatted(name, uses.size(), most, excesses, utilisation);
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }
}
