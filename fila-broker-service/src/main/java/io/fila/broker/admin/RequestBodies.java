package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;

/** Collects bodies of requests, each within the bound of its kind. */
@Component
class RequestBodies {

    private static final byte[] NONE = {};

    private static final List<MediaType> ACCEPTED =
            List.of(MediaType.APPLICATION_JSON, MediaType.parseMediaType("application/*+json"));

    private final RestProperties properties;

    RequestBodies(RestProperties properties) {
        this.properties = properties;
    }

    /** The body of an enqueue. */
    Mono<byte[]> ofEnqueue(ServerHttpRequest request) {
        return read(request, properties.maxEnqueueBody());
    }

    /** The body of any other request; empty if there is none. */
    Mono<byte[]> of(ServerHttpRequest request) {
        return read(request, properties.maxBody());
    }

    private static Mono<byte[]> read(ServerHttpRequest request, DataSize bound) {
        return Mono.defer(() -> {
            if (request.getHeaders().getContentLength() > bound.toBytes()) {
                throw tooLarge(bound);
            }
            return DataBufferUtils.join(request.getBody(), (int) bound.toBytes())
                    .map(RequestBodies::bytes)
                    .onErrorMap(DataBufferLimitException.class, e -> tooLarge(bound))
                    .doOnNext(body -> requireJson(request.getHeaders()))
                    .defaultIfEmpty(NONE);
        });
    }

    private static byte[] bytes(DataBuffer joined) {
        byte[] bytes = new byte[joined.readableByteCount()];
        joined.read(bytes);
        DataBufferUtils.release(joined);
        return bytes;
    }

    private static void requireJson(HttpHeaders headers) {
        @Nullable MediaType type = contentType(headers);
        boolean json = type != null && ACCEPTED.stream().anyMatch(accepted -> accepted.includes(type));
        boolean utf8 =
                type == null || type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8);
        if (!json || !utf8) {
            throw new ProblemException(
                    ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type: expected application/json in UTF-8, got " + (type == null ? "none" : type));
        }
        @Nullable String encoding = headers.getFirst(HttpHeaders.CONTENT_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new ProblemException(
                    ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding: expected the body as it is, got one that is encoded");
        }
    }

    private static @Nullable MediaType contentType(HttpHeaders headers) {
        try {
            return headers.getContentType();
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                    "Content-Type: expected application/json, got something that is not a media type");
        }
    }

    private static ProblemException tooLarge(DataSize bound) {
        return new ProblemException(
                ProblemCode.PAYLOAD_TOO_LARGE,
                "body: expected at most %d bytes; send less in one request".formatted(bound.toBytes()));
    }
}
