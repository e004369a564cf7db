package io.fila.sample.stats;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.RepeatedTest;

import static org.assertj.core.api.Assertions.assertThat;

class PeakCounterTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @RepeatedTest(100)
    void findsTheFullestWindowThatABruteForceCountFinds() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long grid = SECOND / (1 + random.nextInt(200));
        PeakCounter counter = new PeakCounter(Duration.ofSeconds(1));
        List<Long> times = new ArrayList<>();
        long now = random.nextLong();
        for (int i = 0; i < 400; i++) {
            now += random.nextInt(3) * grid;
            counter.record(now);
            times.add(now);
        }
        long most = times.stream()
                .mapToLong(start -> times.stream()
                        .filter(time -> time - start >= 0 && time - start < SECOND)
                        .count())
                .max()
                .orElseThrow();
        assertThat(counter.most()).as("seed %d", seed).isEqualTo((int) most);
    }
}
