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

    @Test
    void tellsHowLateMessagesWentAfterThereWasRoom() {
        Report report = HistoryChecker.check(at(0, 0, 0, 0, 1_003_000), FOUR_A_SECOND);

        assertThat(report.delays()).hasSize(1);
        assertThat(report.delayPercentile(99)).isEqualTo(Duration.ofMillis(3));
    }

    @Test
    void agreesWithCountingEveryWindow() {
        long seed = Long.getLong("fila.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<DeliveredMessage> deliveries = new ArrayList<>();
            int count = 1 + random.nextInt(30);
            for (int i = 0; i < count; i++) {
                long from = random.nextInt(5_000_000);
                deliveries.add(delivery(from, from + (random.nextBoolean() ? 0 : random.nextInt(800_000)), BUCKET));
            }
            int most = 0;
            for (DeliveredMessage first : deliveries) {
                Instant end = first.from().plusSeconds(1);
                int in = (int) deliveries.stream()
                        .filter(one ->
                                !one.from().isBefore(first.from()) && one.to().isBefore(end))
                        .count();
                most = Math.max(most, in);
            }
            assertThat(HistoryChecker.check(deliveries, FOUR_A_SECOND)
                            .uses()
                            .get(0)
                            .most())
                    .as("-Dfila.test.seed=%d, round %d", seed, round)
                    .isEqualTo(most);
        }
    }
}
