package io.fila.listener;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withStatus;

class DownstreamLimitErrorHandlerTests {

    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2030-01-31T12:00:00Z"));

    private final DownstreamLimitErrorHandler handler =
            new DownstreamLimitErrorHandler(Duration.ofSeconds(7), Duration.ofHours(1), List.of(), CLOCK);

    @ParameterizedTest
    @CsvSource({
        "20, PT20S",
        "' 20 ', PT20S",
        "0, PT1S",
        "86400, PT1H",
        "99999999999999999999999999, PT1H",
        "'Thu, 31 Jan 2030 12:00:30 GMT', PT30S",
        "'Thu, 31 Jan 2030 11:00:00 GMT', PT1S",
        "'Fri, 31 Jan 2031 12:00:00 GMT', PT1H",
        "1.5, PT7S",
        "-5, PT7S",
        "'', PT7S",
        "soon, PT7S",
        ", PT7S"
    })
    void readsRetryAfter(@Nullable String retryAfter, Duration closedFor) {
        HttpHeaders headers = new HttpHeaders();
        if (retryAfter != null) {
            headers.add(HttpHeaders.RETRY_AFTER, retryAfter);
        }
        assertThat(handler.exceptionOf(HttpStatus.TOO_MANY_REQUESTS, headers).retryAfter())
                .isEqualTo(closedFor);
    }

    @Test
    void goesByTheClockOfTheOtherSide() {
        HttpHeaders headers = new HttpHeaders();
        headers.add(HttpHeaders.DATE, "Thu, 31 Jan 2030 12:10:00 GMT");
        headers.add(HttpHeaders.RETRY_AFTER, "Thu, 31 Jan 2030 12:10:30 GMT");
        assertThat(handler.exceptionOf(HttpStatus.TOO_MANY_REQUESTS, headers).retryAfter())
                .isEqualTo(Duration.ofSeconds(30));
        headers.set(HttpHeaders.DATE, "today");
        assertThat(handler.exceptionOf(HttpStatus.TOO_MANY_REQUESTS, headers).retryAfter())
                .isEqualTo(Duration.ofSeconds(630));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE"})
    void throwsForAnAnswerThatRefuses(HttpStatus status) {
        RestClient client = answering(status, "20");
        assertThatExceptionOfType(DownstreamLimitedException.class)
                .isThrownBy(() -> client.get().uri("/charges").retrieve().toBodilessEntity())
                .withMessage("refused downstream with %d, for PT20S", status.value())
                .satisfies(refused -> {
                    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(20));
                    assertThat(refused.throttles()).containsExactly("stripe");
                });
    }

    @Test
    void leavesOtherAnswersAlone() {
        assertThat(answering(HttpStatus.OK, "20")
                        .get()
                        .uri("/charges")
                        .retrieve()
                        .toBodilessEntity()
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
        assertThatExceptionOfType(HttpClientErrorException.NotFound.class)
                .isThrownBy(() -> answering(HttpStatus.NOT_FOUND, "20")
                        .get()
                        .uri("/charges")
                        .retrieve()
                        .toBodilessEntity());
        assertThatExceptionOfType(HttpServerErrorException.class)
                .isThrownBy(() -> answering(HttpStatus.BAD_GATEWAY, "20")
                        .get()
                        .uri("/charges")
                        .retrieve()
                        .toBodilessEntity());
    }

    @Test
    void keepsWithinItsBounds() {
        HttpHeaders headers = new HttpHeaders();
        headers.add(HttpHeaders.RETRY_AFTER, "600");
        assertThat(handler.atMost(Duration.ofMinutes(1))
                        .exceptionOf(HttpStatus.TOO_MANY_REQUESTS, headers)
                        .retryAfter())
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(handler.whenAbsent(Duration.ofSeconds(3))
                        .exceptionOf(HttpStatus.TOO_MANY_REQUESTS, new HttpHeaders())
                        .retryAfter())
                .isEqualTo(Duration.ofSeconds(3));
        assertThatIllegalArgumentException().isThrownBy(() -> handler.atMost(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> handler.whenAbsent(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> new DownstreamLimitedException(Duration.ZERO));
    }

    private RestClient answering(HttpStatus status, String retryAfter) {
        HttpHeaders headers = new HttpHeaders();
        headers.add(HttpHeaders.RETRY_AFTER, retryAfter);
        RestClient.Builder builder =
                RestClient.builder().baseUrl("http://stripe").defaultStatusHandler(handler.closing("stripe"));
        MockRestServiceServer server = MockRestServiceServer.bindTo(builder).build();
        server.expect(requestTo("http://stripe/charges"))
                .andRespond(withStatus(status).headers(headers));
        return builder.build();
    }
}
