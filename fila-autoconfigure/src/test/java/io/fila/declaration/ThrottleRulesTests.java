package io.fila.declaration;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.fila.client.MissingKey;
import io.fila.client.ThrottleSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ThrottleRulesTests {

    @ParameterizedTest
    @ValueSource(strings = {"8/1s", "8/1020ms", "60/1m", "5000/1h", "1/31d", "60/PT1M", " 8 / 1s ", "1000000000/1s"})
    void acceptsLimitsOfTheDocumentedForm(String limit) {
        assertThatCode(() -> ThrottleRules.check(ThrottleSpec.of("stripe", limit)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "8",
                "8/",
                "/1s",
                "-1/1s",
                "0/1s",
                "8/1",
                "8/1w",
                "8/0s",
                "8/32d",
                "8/1s/2",
                "x/1s",
                "8/P1Y",
                "1000000001/1s",
                "999999999999999999/31d",
                "8/PT0.0015S",
                "8/PT1.0000001S"
            })
    void refusesAnyOtherLimitAndNamesTheThrottle(String limit) {
        assertThatThrownBy(() -> ThrottleRules.check(ThrottleSpec.of("stripe", limit)))
                .isInstanceOf(InvalidDeclarationException.class)
                .hasMessageStartingWith("throttle 'stripe': ");
    }

    @ParameterizedTest
    @CsvSource({
        // limits that both bind
        "60/1m, 20/1s, true",
        "2/1s, 1/400ms, true",
        "2/1s, 1/700ms, false",
        // the short one allows as much as the long one does
        "20/1m, 20/1s, false",
        // the long one allows as much as the short ones add up to
        "1200/1m, 20/1s, false",
        "1199/1m, 20/1s, true",
        // two short windows begin within the long one
        "2/1500ms, 1/1s, false",
        // one window
        "60/1m, 50/60s, false"
    })
    void refusesLimitsThatNeverBind(String one, String other, boolean accepted) {
        for (List<String> order : List.of(List.of(one, other), List.of(other, one))) {
            ThrottleSpec throttle = new ThrottleSpec("stripe", order, List.of(), MissingKey.SHARED_BUCKET);
            if (accepted) {
                assertThat(ThrottleRules.check(throttle)).isSameAs(throttle);
            } else {
                assertThatThrownBy(() -> ThrottleRules.check(throttle)).isInstanceOf(InvalidDeclarationException.class);
            }
        }
    }

    @Test
    void saysWhyALimitNeverBinds() {
        assertThatThrownBy(() -> ThrottleRules.check(ThrottleSpec.of("stripe", "2000/1m", "20/1s")))
                .hasMessage("throttle 'stripe': limit 2000/1m can never bind: 20/1s allows at most 1200 in that time; "
                        + "remove one of them");
    }

    @Test
    void refusesAThrottleWithoutLimits() {
        assertThatThrownBy(() -> ThrottleRules.check(ThrottleSpec.of("stripe")))
                .hasMessageContaining("fila.throttles.stripe.limits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"customer", "header:", "payload", "fairnesskey", ""})
    void refusesUnknownComponentsOfAKey(String component) {
        assertThatThrownBy(() ->
                        ThrottleRules.check(ThrottleSpec.of("stripe", "8/1s").keyedBy(component)))
                .hasMessageContaining("is no component of a key");
    }

    /** Once accepted here, so that the application started and the broker's refusal stopped the listener. */
    @Test
    void refusesMoreThanTheBrokerTakes() {
        String[] limits = IntStream.rangeClosed(1, 11)
                .mapToObj(i -> "%d/%ds".formatted(i, i * i))
                .toArray(String[]::new);
        assertThatThrownBy(() -> ThrottleRules.check(ThrottleSpec.of("stripe", limits)))
                .hasMessage("throttle 'stripe': there are 11 limits; give at most 10");
        assertThatCode(() -> ThrottleRules.check(ThrottleSpec.of("stripe", Arrays.copyOf(limits, 10))))
                .doesNotThrowAnyException();

        String[] key = IntStream.rangeClosed(1, 9).mapToObj(i -> "header:h" + i).toArray(String[]::new);
        assertThatThrownBy(() ->
                        ThrottleRules.check(ThrottleSpec.of("stripe", "8/1s").keyedBy(key)))
                .hasMessage("throttle 'stripe': the key has 9 components; give at most 8");
        assertThatCode(() ->
                        ThrottleRules.check(ThrottleSpec.of("stripe", "8/1s").keyedBy(Arrays.copyOf(key, 8))))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"header:", "attribute:"})
    void refusesComponentsThatAreTooLongOrHoldNul(String kind) {
        String longest = kind + "n".repeat(300 - kind.length());
        assertThatCode(() ->
                        ThrottleRules.check(ThrottleSpec.of("stripe", "8/1s").keyedBy(longest)))
                .doesNotThrowAnyException();
        for (String refused : List.of(longest + "n", kind + "\0")) {
            assertThatThrownBy(() -> ThrottleRules.check(
                            ThrottleSpec.of("stripe", "8/1s").keyedBy(refused)))
                    .hasMessageContaining("use at most 300, without NUL");
        }
    }

    @Test
    void refusesAComponentThatIsInTheKeyTwice() {
        assertThatThrownBy(() -> ThrottleRules.check(
                        ThrottleSpec.of("stripe", "8/1s").keyedBy("header:a", "fairnessKey", "header:a")))
                .hasMessageContaining("twice");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a b", "a/b", "ä"})
    void refusesNamesThatTheBrokerRefuses(String name) {
        assertThatThrownBy(() -> ThrottleRules.check(ThrottleSpec.of(name, "8/1s")))
                .hasMessageContaining("is no name for a throttle");
    }
}
