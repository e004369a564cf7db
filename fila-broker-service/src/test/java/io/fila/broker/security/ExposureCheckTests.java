package io.fila.broker.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class ExposureCheckTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(SecurityConfiguration.class)
            .withPropertyValues("server.address=127.0.0.1", "spring.grpc.server.address=127.0.0.1");

    @Test
    void startsOnLoopback() {
        runner.run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.2", "::1", "localhost"})
    void knowsLoopbackByOtherNames(String address) {
        runner.withPropertyValues("server.address=" + address)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "server.address, 0.0.0.0",
        "server.address, 192.0.2.1",
        "server.address, ::",
        "server.address, ''",
        "spring.grpc.server.address, 0.0.0.0",
        "spring.grpc.server.address, ''"
    })
    void refusesAnAddressThatOthersCanReach(String property, String address) {
        runner.withPropertyValues(property + "=" + address)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(FailureAnalyzedException.class, e -> {
                            assertThat(e.analysis().getDescription()).contains("(" + property + ")");
                            assertThat(e.analysis().getAction())
                                    .contains("fila.broker.security.admin-token")
                                    .contains(property + " to 127.0.0.1");
                        }));
    }

    @Test
    void refusesAManagementPortThatOthersCanReach() {
        runner.withPropertyValues("management.server.port=9000")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(FailureAnalyzedException.class)
                        .hasMessageContaining("management.server.address"));
    }

    @Test
    void startsAnywhereWithACredential() {
        runner.withPropertyValues("server.address=0.0.0.0", "fila.broker.security.admin-token=s3cret")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void takesAnEmptyCredentialForNone() {
        runner.withPropertyValues("server.address=0.0.0.0", "fila.broker.security.admin-token=")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void doesNotMindServersThatAreOff() {
        runner.withPropertyValues(
                        "server.port=-1",
                        "server.address=",
                        "spring.grpc.server.enabled=false",
                        "spring.grpc.server.address=")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
