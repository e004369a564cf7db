package io.fila.broker.throttle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class LimitsTests {

    private static List<Limit> limits(String... texts) {
        return Arrays.stream(texts).map(text -> Limit.parse("limits", text)).toList();
    }

    @ParameterizedTest
    @CsvSource({"60/1m, 20/1s", "8/1s, 15/2s", "100/1s, 5000/1h", "1/1ms, 2/3ms"})
    void acceptsLimitsThatAllBind(String one, String other) {
        assertThatNoException().isThrownBy(() -> Limits.requireAllBinding("stripe", limits(one, other)));
    }

    @ParameterizedTest
    @CsvSource({
        "60/1m, 100/1s, 100/1s", // at most 60 can ever go in a second
        "60/1m, 60/1s, 60/1s", // equality never binds
        "20/1s, 2000/1m, 2000/1m", // 20 per second allow at most 1,200 per minute
        "20/1s, 1200/1m, 1200/1m",
        "8/1s, 16/1500ms, 16/1500ms", // two windows of a second reach into one of 1.5 s
        "5/1s, 7/1000ms, 7/1s", // the same window
    })
    void refusesALimitThatNeverBindsNamingBothAndTheRemedy(String one, String other, String never) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> Limits.requireAllBinding("stripe", limits(one, other)))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.LIMIT_NEVER_BINDS))
                .withMessageContaining(never)
                .withMessageContaining(limits(one).get(0).toString())
                .withMessageContaining("'stripe'")
                .withMessageContaining("remove one of them");
    }

    @ParameterizedTest
    @CsvSource({"60/PT1M, 60/1m", "60/60s, 60/1m", "5/90s, 5/90s", "1/24h, 1/1d", "10/1500ms, 10/1500ms"})
    void showsTheLargestUnitThatFitsWhole(String given, String shown) {
        assertThat(Limit.parse("limits", given)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "5",
                "5/",
                "/1s",
                "0/1s",
                "-1/1s",
                "5/0s",
                "5/32d",
                "5/1w",
                "five/1s",
                "99999999999/1s",
                "5/1us"
            })
    void refusesWhatIsNoLimitNamingTheField(String text) {
        assertThatExceptionOfType(ProblemException.class)
                .isThrownBy(() -> Limit.parse("throttles[0].limits", text))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_REQUEST))
                .withMessageStartingWith("throttles[0].limits: expected");
    }

    /** What is left out of the effective limits never decides: with and without it the same deliveries are allowed. */
    @Test
    void leavesOutOnlyWhatNeverDecides() {
        long seed = Long.getLong("fila.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            List<Limit> declared = new ArrayList<>();
            for (int i = 0, count = 1 + random.nextInt(4); i < count; i++) {
                declared.add(Limit.parse("limits", (1 + random.nextInt(9)) + "/" + (1 + random.nextInt(12)) + "ms"));
            }
            List<Limit> effective = Limits.effective(declared);
            List<Integer> times = new ArrayList<>();
            for (int now = 0; now < 60; now += random.nextInt(3)) {
                int at = now;
                boolean allowed = declared.stream().allMatch(limit -> hasRoom(limit, times, at));
                assertThat(effective.stream().allMatch(limit -> hasRoom(limit, times, at)))
                        .as("seed %d: %s for %s at %d after %s", seed, effective, declared, at, times)
                        .isEqualTo(allowed);
                if (allowed) {
                    times.add(at);
                }
            }
            assertThat(effective).as("seed %d", seed).isNotEmpty().isSubsetOf(declared);
        }
    }

    private static boolean hasRoom(Limit limit, List<Integer> times, int now) {
        long inWindow = times.stream()
                .filter(time -> time > now - limit.window().toMillis())
                .count();
        return inWindow < limit.count();
    }
}
