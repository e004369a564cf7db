package io.fila.declaration;

import java.util.List;

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
    @ValueSource(strings = {"8/1s", "8/1020ms", "60/1m", "5000/1h", "1/31d", "60/PT1M", " 8 / 1s "})
    void acceptsLimitsOfTheDocumentedForm(String limit) {
        assertThatCode(() -> ThrottleRules.check(ThrottleSpec.of("stripe", limit)))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "8", "8/", "/1s", "-1/1s", "0/1s", "8/1", "8/1w", "8/0s", "8/32d", "8/1s/2", "x/1s", "8/P1Y"
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
