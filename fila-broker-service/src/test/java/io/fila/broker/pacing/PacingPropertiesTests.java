package io.fila.broker.pacing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class PacingPropertiesTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withUserConfiguration(Properties.class);

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(PacingProperties.class)
    static class Properties {}

    @Test
    void takeTheirDefaults() {
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    /** Beyond 900 ms a node that is taken for dead could still send; without a pause a sweep would follow the other. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "token-expiry=0s", "token-expiry=-1s", "token-expiry=9ms", "token-expiry=901ms", "sweep-interval=0s",
                "sweep-interval=99ms", "max-batch=0", "max-lanes=0", "threads=0", "delivery-log.max-size=0"
            })
    void refuseWhatPacingCannotWorkWith(String setting) {
        String name = setting.substring(0, setting.indexOf('='));
        runner.withPropertyValues("fila.broker.pacing." + setting)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("fila.broker.pacing")
                        .hasMessageContaining(camelCase(name)));
    }

    private static String camelCase(String name) {
        String last = name.substring(name.lastIndexOf('.') + 1);
        int dash = last.indexOf('-');
        return dash < 0
                ? last
                : last.substring(0, dash) + Character.toUpperCase(last.charAt(dash + 1)) + last.substring(dash + 2);
    }
}
