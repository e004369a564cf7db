package io.fila.listener;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.ResponseErrorHandler;
import org.springframework.web.client.RestClient;

/**
 * Makes a {@link DownstreamLimitedException} of an answer 429 or 503, for as long as its {@code Retry-After} says, in seconds or as a
 * date. For a {@link RestClient}, whose other error handling it leaves alone:
 *
 * <pre>{@code
 * RestClient stripe = builder.defaultStatusHandler(new DownstreamLimitErrorHandler().closing("stripe")).build();
 * }</pre>
 *
 * <p>With a {@code WebClient}:
 *
 * <pre>{@code
 * .onStatus(limits::isRefusal, answer -> Mono.error(limits.exceptionOf(answer.statusCode(), answer.headers().asHttpHeaders())))
 * }</pre>
 *
 * <p>Without {@code Retry-After}, or with one that cannot be read: 1 s. At least 1 s, whatever it says, and at most 1 h, which is
 * what the broker allows unless it is told otherwise: a message that is refused again closes its buckets again. Immutable; needs
 * spring-web.
 */
public final class DownstreamLimitErrorHandler implements ResponseErrorHandler {

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Pattern SECONDS = Pattern.compile("\\d+");

    /** Longer numbers need not fit into a long. */
    private static final int MAX_DIGITS = 12;

    private final Duration whenAbsent;
    private final Duration longest;
    private final List<String> throttles;
    private final InstantSource clock;

    public DownstreamLimitErrorHandler() {
        this(SHORTEST, Duration.ofHours(1), List.of(), InstantSource.system());
    }

    DownstreamLimitErrorHandler(Duration whenAbsent, Duration longest, List<String> throttles, InstantSource clock) {
        this.whenAbsent = requirePositive("whenAbsent", whenAbsent);
        this.longest = requirePositive("atMost", longest);
        this.throttles = List.copyOf(throttles);
        this.clock = clock;
    }

    /** This handler, with another time for answers without {@code Retry-After}. */
    public DownstreamLimitErrorHandler whenAbsent(Duration closedFor) {
        return new DownstreamLimitErrorHandler(closedFor, longest, throttles, clock);
    }

    /** This handler, with another bound; more than the broker's own is refused there, and costs the message an attempt. */
    public DownstreamLimitErrorHandler atMost(Duration closedFor) {
        return new DownstreamLimitErrorHandler(whenAbsent, closedFor, throttles, clock);
    }

    /** This handler, for buckets of these throttles only; by default of all that apply to the message. */
    public DownstreamLimitErrorHandler closing(String... names) {
        return new DownstreamLimitErrorHandler(whenAbsent, longest, List.of(names), clock);
    }

    /** Whether such an answer says that it was one call too many. */
    public boolean isRefusal(HttpStatusCode status) {
        return status.value() == HttpStatus.TOO_MANY_REQUESTS.value()
                || status.value() == HttpStatus.SERVICE_UNAVAILABLE.value();
    }

    /** What to throw for an answer with these headers. */
    public DownstreamLimitedException exceptionOf(HttpStatusCode status, HttpHeaders headers) {
        Duration closedFor = closedFor(headers);
        String message = "refused downstream with %d, for %s".formatted(status.value(), closedFor);
        return new DownstreamLimitedException(closedFor, throttles, message, null);
    }

    @Override
    public boolean hasError(ClientHttpResponse response) throws IOException {
        return isRefusal(response.getStatusCode());
    }

    @Override
    public void handleError(URI url, HttpMethod method, ClientHttpResponse response) throws IOException {
        throw exceptionOf(response.getStatusCode(), response.getHeaders());
    }

    private Duration closedFor(HttpHeaders headers) {
        Duration asked = retryAfter(headers);
        Duration atLeast = asked.compareTo(SHORTEST) < 0 ? SHORTEST : asked;
        return atLeast.compareTo(longest) > 0 ? longest : atLeast;
    }

    private Duration retryAfter(HttpHeaders headers) {
        String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (value == null) {
            return whenAbsent;
        }
        String text = value.strip();
        if (SECONDS.matcher(text).matches()) {
            return text.length() > MAX_DIGITS ? longest : Duration.ofSeconds(Long.parseLong(text));
        }
        Instant until = date(headers, HttpHeaders.RETRY_AFTER);
        if (until == null) {
            return whenAbsent;
        }
        // by the clock that the date was written by, if it is known
        Instant answered = date(headers, HttpHeaders.DATE);
        return Duration.between(answered == null ? clock.instant() : answered, until);
    }

    private static @Nullable Instant date(HttpHeaders headers, String name) {
        try {
            ZonedDateTime date = headers.getFirstZonedDateTime(name);
            return date == null ? null : date.toInstant();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Duration requirePositive(String field, Duration value) {
        if (value.toMillis() <= 0) {
            throw new IllegalArgumentException(field + " is " + value + "; use 1 ms or more");
        }
        return value;
    }
}
