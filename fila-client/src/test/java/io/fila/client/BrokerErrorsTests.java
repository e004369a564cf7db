package io.fila.client;

import io.grpc.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class BrokerErrorsTests {

    private final BrokerErrors errors = new BrokerErrors("dns:///broker:7433");

    @ParameterizedTest
    @CsvSource({
        "UNAVAILABLE, broker-unreachable, true",
        "CANCELLED, broker-unreachable, true",
        "DEADLINE_EXCEEDED, timed-out, true",
        "UNAUTHENTICATED, unauthenticated, false",
        "PERMISSION_DENIED, forbidden, false",
        "INVALID_ARGUMENT, invalid-request, false",
        "RESOURCE_EXHAUSTED, payload-too-large, false",
        "INTERNAL, broker-error, false"
    })
    void namesStatusWithoutCode(Status.Code status, String code, boolean retryable) {
        FilaException problem =
                errors.failed("send to queue 'orders'", status.toStatus().asRuntimeException());
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.isRetryable()).isEqualTo(retryable);
        assertThat(problem).hasMessageStartingWith("could not send to queue 'orders': ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"storage-unavailable", "queue-full", "rate-limited", "script-timed-out"})
    void knowsWhichCodesAreWorthAnotherTry(String code) {
        FilaException problem = errors.failed("send", FakeBroker.problem(Status.Code.UNKNOWN, code, "later"));
        assertThat(problem.code()).isEqualTo(code);
        assertThat(problem.isRetryable()).isTrue();
    }

    @Test
    void takesCodeAndDescriptionFromTheBroker() {
        FilaException problem = errors.failed(
                "send to queue 'orders'",
                FakeBroker.problem(Status.Code.NOT_FOUND, "queue-not-found", "queue 'orders' does not exist"));
        assertThat(problem.code()).isEqualTo("queue-not-found");
        assertThat(problem.isRetryable()).isFalse();
        assertThat(problem).hasMessage("could not send to queue 'orders': queue 'orders' does not exist");
    }

    @Test
    void tellsWhatToCheckWhenNobodyAnswers() {
        FilaException problem = errors.failed(
                "send to queue 'orders'",
                Status.UNAVAILABLE.withDescription("refused").asRuntimeException());
        assertThat(problem).hasMessageContainingAll("'orders'", "dns:///broker:7433", "refused", "check the address");
    }
}
