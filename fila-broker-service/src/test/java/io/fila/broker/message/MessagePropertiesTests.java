package io.fila.broker.message;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class MessagePropertiesTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);

    @Test
    void acceptsItsDefaults() {
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    /** Sizes and the delay were once taken as they came: with 0 no message could be sent, and nothing said so. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-payload=0B | maxPayload | use 1B to 1GB",
                "max-payload=-1B | maxPayload | use 1B to 1GB",
                "max-payload=3GB | maxPayload | use 1B to 1GB",
                "max-header-size=0B | maxHeaderSize | use 1B to 1GB",
                "max-request-size=0B | maxRequestSize | use 1B to 1GB",
                "max-headers=-1 | maxHeaders | must be greater than or equal to 0",
                "max-request-messages=0 | maxRequestMessages | must be greater than or equal to 1",
                "max-delay=0s | maxDelay | must be longer than or equal to 1 milli",
                "max-delay=-1d | maxDelay | must be longer than or equal to 1 milli"
            })
    void namesWhatCannotWorkAndTheRemedy(String property, String named, String remedy) {
        runner.withPropertyValues("fila.broker.message." + property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContainingAll("fila.broker.message", named, remedy));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(MessageProperties.class)
    static class Properties {}
}
