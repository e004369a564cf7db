package io.fila.broker.admin;

import java.time.Duration;
import java.util.UUID;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.util.DisconnectedClientHelper;
import reactor.core.publisher.Mono;

/**
 * Answers with a problem whatever went wrong with a request, in a controller, in a filter or before either. Browsers that look
 * for pages elsewhere than in the API get Spring Boot's error page.
 */
@Component
@Order(-2) // before Spring Boot's handler, which has -1
class ProblemHandler implements WebExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemHandler.class);

    private static final Duration SOON = Duration.ofSeconds(1);

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        if (exchange.getResponse().isCommitted()
                || DisconnectedClientHelper.isClientDisconnectedException(failure)
                || isForPage(exchange.getRequest())) {
            return Mono.error(failure);
        }
        String path = exchange.getRequest().getURI().getRawPath();
        ProblemException problem = Problems.of(failure);
        if (problem == null) {
            String incident = UUID.randomUUID().toString();
            log.error(
                    "incident {}: {} {} failed", incident, exchange.getRequest().getMethod(), path, failure);
            String detail = "this was not expected; the broker's log has the cause under incident " + incident;
            return write(exchange, ProblemAnswer.of(ProblemCode.INTERNAL_ERROR, detail, path, incident));
        }
        log.debug("{} {} refused", exchange.getRequest().getMethod(), path, failure);
        addHeaders(exchange.getResponse().getHeaders(), problem, failure);
        String detail = problem.getMessage() == null ? problem.code().slug() : problem.getMessage();
        return write(exchange, ProblemAnswer.of(problem.code(), detail, path, null));
    }

    private static boolean isForPage(ServerHttpRequest request) {
        return !request.getPath().value().startsWith("/api/")
                && request.getHeaders().getAccept().stream().anyMatch(MediaType.TEXT_HTML::equalsTypeAndSubtype);
    }

    private static void addHeaders(HttpHeaders headers, ProblemException problem, Throwable failure) {
        if (failure instanceof ErrorResponse refused) {
            headers.putAll(refused.getHeaders());
        }
        if (problem.code() == ProblemCode.UNAUTHENTICATED) {
            headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        @Nullable Duration retryAfter = problem.retryAfter();
        int status = problem.code().httpStatus();
        if (retryAfter == null && (status == 429 || status == 503)) {
            retryAfter = SOON;
        }
        if (retryAfter != null) {
            headers.set(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds(retryAfter)));
        }
    }

    /** Rounded up, since coming too early is of no use; at least one. */
    private static long wholeSeconds(Duration duration) {
        return Math.max(1, duration.plusNanos(999_999_999).toSeconds());
    }

    private static Mono<Void> write(ServerWebExchange exchange, ProblemAnswer problem) {
        ServerHttpResponse response = exchange.getResponse();
        byte[] body = AnswerEncoder.MAPPER.writeValueAsBytes(problem);
        response.setRawStatusCode(problem.status());
        response.getHeaders().clearContentHeaders();
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }
}
