package io.fila.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryCheckerTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final BucketName BUCKET = new BucketName("t", null);
    private static final Map<String, List<WindowLimit>> FOUR_A_SECOND = Map.of("t", List.of(WindowLimit.parse("4/1s")));

    private static DeliveredMessage delivery(long fromMicros, long toMicros, BucketName... buckets) {
        Instant from = START.plusNanos(fromMicros * 1000);
        return new DeliveredMessage(
                from, START.plusNanos(toMicros * 1000), "n", "q", "m", 1, START.minusSeconds(60), List.of(buckets));
    }

    private static GrantedPermits grant(long fromMicros, long toMicros, int count) {
        return new GrantedPermits(
                START.plusNanos(fromMicros * 1000), START.plusNanos(toMicros * 1000), "n", count, List.of(BUCKET));
    }

    /** Deliveries, and grants of a few permits, in spans of some length or none. */
    private static List<Counted> randomHistory(Random random) {
        List<Counted> history = new ArrayList<>();
        int count = 1 + random.nextInt(30);
        for (int i = 0; i < count; i++) {
            long from = random.nextInt(5_000_000);
            long to = from + (random.nextBoolean() ? 0 : random.nextInt(800_000));
            history.add(random.nextInt(3) == 0 ? grant(from, to, 1 + random.nextInt(6)) : delivery(from, to, BUCKET));
        }
        return history;
    }

    private static List<DeliveredMessage> at(long... micros) {
        List<DeliveredMessage> deliveries = new ArrayList<>();
        for (long one : micros) {
            deliveries.add(delivery(one, one, BUCKET));
        }
        return deliveries;
    }

    @Test
    void allowsAsManyAgainExactlyOneWindowLater() {
        Report report = HistoryChecker.check(at(0, 0, 0, 0, 1_000_000, 1_000_000), FOUR_A_SECOND);

        assertThat(report.isWithinLimits()).isTrue();
        assertThat(report.uses().get(0).most()).isEqualTo(4);
    }

    @Test
    void findsOneTooManyAMicrosecondBeforeTheWindowEnds() {
        Report report = HistoryChecker.check(at(0, 0, 0, 0, 999_999), FOUR_A_SECOND);

        assertThat(report.isWithinLimits()).isFalse();
        assertThat(report.uses().get(0).most()).isEqualTo(5);
        assertThat(report.uses().get(0).excesses()).isEqualTo(1);
        assertThat(report.toString()).contains("EXCEEDED: t 4/1s: 5 from 2026-01-01T00:00:00Z on");
    }

    @Test
    void countsOnlyWhatWasSurelyInTheWindow() {
        List<DeliveredMessage> deliveries = at(0, 0, 0, 0);
        // handed over somewhere around the end of the window
        deliveries.add(delivery(900_000, 1_100_000, BUCKET));

        assertThat(HistoryChecker.check(deliveries, FOUR_A_SECOND).isWithinLimits())
                .isTrue();
    }

    @Test
    void countsPermitsTogetherWithDeliveries() {
        Map<String, List<WindowLimit>> eightASecond = Map.of("t", List.of(WindowLimit.parse("8/1s")));
        List<Counted> history = new ArrayList<>(at(0, 200_000, 999_998));
        history.add(grant(300_000, 300_010, 5));

        Report kept = HistoryChecker.check(history, eightASecond);
        assertThat(kept.isWithinLimits()).isTrue();
        assertThat(kept.uses().get(0).most()).isEqualTo(8);
        assertThat(kept.uses().get(0).count()).isEqualTo(8);

        history.addAll(at(999_999));
        Report exceeded = HistoryChecker.check(history, eightASecond);
        assertThat(exceeded.isWithinLimits()).isFalse();
        assertThat(exceeded.uses().get(0).most()).isEqualTo(9);
        assertThat(exceeded.uses().get(0).excesses()).isEqualTo(1);
        assertThat(exceeded.deliveries()).isEqualTo(4);
        assertThat(exceeded.permits()).isEqualTo(5);
        assertThat(exceeded.toString()).startsWith("deliveries: 4\npermits: 5\n");
    }

    @Test
    void saysNothingOfPermitsIfThereWereNone() {
        assertThat(HistoryChecker.check(at(0), FOUR_A_SECOND).toString()).doesNotContain("permits");
    }

    @Test
    void addsUpMorePermitsThanAnIntHolds() {
        int billion = 1_000_000_000;
        List<Counted> history = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            history.add(grant(i, i, billion));
        }
        history.addAll(at(1_000_007));
        Report report = HistoryChecker.check(history, Map.of("t", List.of(WindowLimit.parse("999999999/1s"))));

        assertThat(report.permits()).isEqualTo(5L * billion);
        assertThat(report.uses().get(0).most()).isEqualTo(5L * billion);
        assertThat(report.uses().get(0).excesses()).isEqualTo(5);
        // the last grant alone holds as many as the limit allows
        assertThat(report.delayPercentile(100)).isEqualTo(Duration.ofNanos(3000));
    }

    @Test
    void judgesEachBucketByItself() {
        List<DeliveredMessage> deliveries = new ArrayList<>();
        for (String key : List.of("a", "b")) {
            for (int i = 0; i < 4; i++) {
                deliveries.add(delivery(i, i, new BucketName("t", List.of(key))));
            }
        }
        Report report = HistoryChecker.check(deliveries, FOUR_A_SECOND);

        assertThat(report.isWithinLimits()).isTrue();
        assertThat(report.uses()).hasSize(2).allMatch(use -> use.most() == 4);
    }

    @Test
    void tellsHowMuchOfALimitWasUsed() {
        // every 1.25 s all four
        List<DeliveredMessage> deliveries = new ArrayList<>();
        for (int burst = 0; burst < 5; burst++) {
            deliveries.addAll(at(burst * 1_250_000L, burst * 1_250_000L, burst * 1_250_000L, burst * 1_250_000L));
        }

        assertThat(HistoryChecker.check(deliveries, FOUR_A_SECOND).uses().get(0).utilisation())
                .isEqualTo(0.8);
    }

    /** The time that a window's worth takes counted once more at the end: 4 windows of 4 in 4.6 s were 87 %. */
    @Test
    void tellsThatALimitWasUsedUpThoughAWindowsWorthComesOverSomeTime() {
        List<DeliveredMessage> deliveries = new ArrayList<>();
        for (int window = 0; window < 5; window++) {
            long start = window * 1_000_000L;
            deliveries.addAll(at(start, start + 200_000, start + 400_000, start + 600_000));
        }

        assertThat(HistoryChecker.check(deliveries, FOUR_A_SECOND).uses().get(0).utilisation())
                .isEqualTo(1);
    }

    @Test
    void tellsHowLateMessagesWentAfterThereWasRoom() {
        Report report = HistoryChecker.check(at(0, 0, 0, 0, 1_003_000), FOUR_A_SECOND);

        assertThat(report.delays()).hasSize(1);
        assertThat(report.delayPercentile(99)).isEqualTo(Duration.ofMillis(3));
    }

    @Test
    void tellsHowLateMessagesWentAfterPermitsLeftRoom() {
        List<Counted> history = new ArrayList<>(at(500_000, 1_001_000, 1_002_000, 1_003_000, 1_504_000));
        history.add(grant(0, 0, 3));
        Report report = HistoryChecker.check(history, FOUR_A_SECOND);

        // three when the grant leaves the window, and the last when the first delivery does
        assertThat(report.delays())
                .extracting(Report.Delay::delay)
                .containsExactly(
                        Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(3), Duration.ofMillis(4));
    }

    /** A grant begins one window, as many deliveries as many. */
    private static List<Report.LimitUse> withoutExcesses(Report report) {
        return report.uses().stream()
                .map(use -> new Report.LimitUse(
                        use.bucket(), use.limit(), use.count(), use.most(), use.mostFrom(), 0, use.utilisation()))
                .toList();
    }

    @Test
    void judgesAGrantLikeAsManyDeliveriesAtOnce() {
        long seed = Long.getLong("fila.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<Counted> history = randomHistory(random);
            List<DeliveredMessage> alike = new ArrayList<>();
            for (Counted one : history) {
                if (one instanceof DeliveredMessage delivery) {
                    alike.add(delivery);
                }
                for (int i = 0; one instanceof GrantedPermits && i < one.count(); i++) {
                    // not the first attempt, so there is no delay of it
                    alike.add(new DeliveredMessage(one.from(), one.to(), "n", "q", "p", 2, one.from(), one.buckets()));
                }
            }
            Report report = HistoryChecker.check(history, FOUR_A_SECOND);
            Report expected = HistoryChecker.check(alike, FOUR_A_SECOND);

            String description = "-Dfila.test.seed=%d, round %d".formatted(seed, round);
            assertThat(report.delays()).as(description).isEqualTo(expected.delays());
            assertThat(withoutExcesses(report)).as(description).isEqualTo(withoutExcesses(expected));
        }
    }

    @Test
    void agreesWithCountingEveryWindow() {
        long seed = Long.getLong("fila.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<Counted> history = randomHistory(random);
            long most = 0;
            for (Counted first : history) {
                Instant end = first.from().plusSeconds(1);
                long in = history.stream()
                        .filter(one ->
                                !one.from().isBefore(first.from()) && one.to().isBefore(end))
                        .mapToLong(Counted::count)
                        .sum();
                most = Math.max(most, in);
            }
            assertThat(HistoryChecker.check(history, FOUR_A_SECOND)
                            .uses()
                            .get(0)
                            .most())
                    .as("-Dfila.test.seed=%d, round %d", seed, round)
                    .isEqualTo(most);
        }
    }
}
