package io.fila.sample.provider;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlidingWindowPropertyTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @RepeatedTest(200)
    void admitsWhateverABruteForceCountAllows() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int limit = 1 + random.nextInt(9);
        // a coarse grid makes equal times and distances of exactly one window frequent
        long grid = SECOND / (1 + random.nextInt(12));
        SlidingWindow window = new SlidingWindow(limit, Duration.ofSeconds(1));
        List<Long> admitted = new ArrayList<>();
        long now = random.nextLong();
        for (int i = 0; i < 500; i++) {
            now += random.nextInt(4) * grid;
            long time = now;
            boolean room =
                    admitted.stream().filter(earlier -> time - earlier < SECOND).count() < limit;
            assertThat(window.admit(time)).as("event %d with seed %d", i, seed).isEqualTo(room);
            if (room) {
                admitted.add(time);
            }
        }
    }

    @Test
    void admitsAsManyAgainAfterExactlyOneWindowAndNotANanosecondSooner() {
        SlidingWindow window = new SlidingWindow(8, Duration.ofSeconds(1));
        for (int i = 0; i < 8; i++) {
            assertThat(window.admit(0)).isTrue();
        }
        assertThat(window.admit(0)).isFalse();
        assertThat(window.admit(SECOND - 1)).isFalse();
        for (int i = 0; i < 8; i++) {
            assertThat(window.admit(SECOND)).isTrue();
        }
        assertThat(window.admit(SECOND)).isFalse();
    }
}
