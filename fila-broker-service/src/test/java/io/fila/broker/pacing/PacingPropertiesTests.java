package io.fila.broker.pacing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvSource(
            delimiter = '|',
            value = {
                "token-expiry=0s | tokenExpiry | longer than or equal to 10 millis",
                "token-expiry=-1s | tokenExpiry | longer than or equal to 10 millis",
                "token-expiry=9ms | tokenExpiry | longer than or equal to 10 millis",
                "token-expiry=901ms | tokenExpiry | shorter than or equal to 900 millis",
                "sweep-interval=0s | sweepInterval | longer than or equal to 100 millis",
                "sweep-interval=99ms | sweepInterval | longer than or equal to 100 millis",
                "sweep-interval=11m | sweepInterval | shorter than or equal to 10 minutes",
                "max-batch=0 | maxBatch | must be greater than or equal to 1",
                "max-lanes=0 | maxLanes | must be greater than or equal to 1",
                "threads=0 | threads | must be greater than or equal to 1",
                "delivery-log.max-size=0 | maxSize | use 1B to 1TB"
            })
    void nameWhatPacingCannotWorkWithAndTheRemedy(String setting, String named, String remedy) {
        runner.withPropertyValues("fila.broker.pacing." + setting)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("fila.broker.pacing", named, remedy));
    }
}
