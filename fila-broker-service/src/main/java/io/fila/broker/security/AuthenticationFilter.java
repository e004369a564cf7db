package io.fila.broker.security;

import java.nio.charset.StandardCharsets;

import io.fila.broker.problem.ProblemCode;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/** Lets HTTP requests in that carry the credential, and health probes. First, so that nothing is done for the others. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class AuthenticationFilter implements WebFilter {

    private static final ProblemCode CODE = ProblemCode.UNAUTHENTICATED;

    /** But for the path of the request. */
    private static final String PROBLEM = """
            {"type":"urn:fila:problem:%1$s","title":"Unauthenticated","status":%2$d,"detail":"%3$s",\
            "instance":"%%s","code":"%1$s"}""".formatted(CODE.slug(), CODE.httpStatus(), Credentials.REFUSAL);

    private final Credentials credentials;
    private final PathPattern health;

    AuthenticationFilter(Credentials credentials, WebEndpointProperties endpoints) {
        this.credentials = credentials;
        this.health = PathPatternParser.defaultInstance.parse(endpoints.getBasePath() + "/health/**");
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        String authorization = exchange.getRequest().getHeaders().getFirst(HttpHeaders.AUTHORIZATION);
        if (health.matches(path) || credentials.accept(authorization)) {
            return chain.filter(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        response.setRawStatusCode(CODE.httpStatus());
        response.getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        // a URI has no character that JSON would want escaped
        String instance = exchange.getRequest().getURI().getRawPath();
        byte[] problem = PROBLEM.formatted(instance).getBytes(StandardCharsets.UTF_8);
        response.getHeaders().setContentLength(problem.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(problem)));
    }
}
