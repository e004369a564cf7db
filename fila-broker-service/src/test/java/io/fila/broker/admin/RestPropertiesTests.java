package io.fila.broker.admin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class RestPropertiesTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);

    @Test
    void acceptsItsDefaults() {
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-enqueue-body=1023B | maxEnqueueBody | use 1KB to 1GB",
                "max-enqueue-body=2GB | maxEnqueueBody | use 1KB to 1GB",
                "max-body=0B | maxBody | use 1KB to 1GB",
                "max-bodies-together=47MB | fila.broker.rest.max-bodies-together | use at least those",
                "max-body=200MB | fila.broker.rest.max-bodies-together | use at least those",
                "threads=0 | threads | must be greater than or equal to 1",
                "queue-capacity=0 | queueCapacity | must be greater than or equal to 1"
            })
    void namesWhatCannotWorkAndTheRemedy(String property, String named, String remedy) {
        runner.withPropertyValues("fila.broker.rest." + property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("fila.broker.rest", named, remedy));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RestProperties.class)
    static class Properties {}
}
