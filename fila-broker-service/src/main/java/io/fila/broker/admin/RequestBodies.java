package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

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

/**
 * Collects bodies of requests: each within the bound of its kind, and all that are being worked on within one of their own. What
 * a request has beside the body that its handler reads is refused: query parameters, or a body that nobody reads.
 */
@Component
class RequestBodies {

    private static final byte[] NONE = {};

    private static final List<MediaType> ACCEPTED =
            List.of(MediaType.APPLICATION_JSON, MediaType.parseMediaType("application/*+json"));

    private final RestProperties properties;

    /** How many more bytes of bodies may be in memory, over all requests. */
    private final AtomicLong free;

    RequestBodies(RestProperties properties) {
        this.properties = properties;
        this.free = new AtomicLong(properties.maxBodiesTogether().toBytes());
    }

    /** What {@code handler} makes of the body of an enqueue. */
    <T> Mono<T> ofEnqueue(ServerHttpRequest request, Function<byte[], Mono<T>> handler) {
        return use(request, properties.maxEnqueueBody(), handler);
    }

    /** What {@code handler} makes of the body of any other request; the body is empty if there is none. */
    <T> Mono<T> of(ServerHttpRequest request, Function<byte[], Mono<T>> handler) {
        return use(request, properties.maxBody(), handler);
    }

    /** What {@code handler} makes of a request that has neither a body nor parameters. */
    <T> Mono<T> none(ServerHttpRequest request, Supplier<Mono<T>> handler) {
        return none(request, List.of(), parameters -> handler.get());
    }

    /** What {@code handler} makes of the query parameters of a request without a body, which are among {@code allowed}. */
    <T> Mono<T> none(ServerHttpRequest request, List<String> allowed, Function<QueryParameters, Mono<T>> handler) {
        return Mono.defer(() -> {
            QueryParameters parameters = QueryParameters.of(request, allowed);
            return collect(request, properties.maxBody(), body -> {
                requireNoFields(body);
                return handler.apply(parameters);
            });
        });
    }

    private <T> Mono<T> use(ServerHttpRequest request, DataSize bound, Function<byte[], Mono<T>> handler) {
        return Mono.defer(() -> {
            QueryParameters.of(request, List.of());
            return collect(request, bound, handler);
        });
    }

    private <T> Mono<T> collect(ServerHttpRequest request, DataSize bound, Function<byte[], Mono<T>> handler) {
        return Mono.using(
                () -> new Share(free), share -> read(request, bound, share).flatMap(handler), Share::giveBack);
    }

    /** Clients that always send an object may: one without fields says nothing. */
    private static void requireNoFields(byte[] body) {
        if (body.length > 0) {
            JsonBody.read(body, in -> in.object());
        }
    }

    private static Mono<byte[]> read(ServerHttpRequest request, DataSize bound, Share share) {
        if (request.getHeaders().getContentLength() > bound.toBytes()) {
            return Mono.error(tooLarge(bound));
        }
        return DataBufferUtils.join(request.getBody().doOnNext(share::take), (int) bound.toBytes())
                .map(RequestBodies::bytes)
                .onErrorMap(DataBufferLimitException.class, e -> tooLarge(bound))
                .doOnNext(body -> requireJson(request.getHeaders()))
                .defaultIfEmpty(NONE);
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

    /** The part of the memory for bodies that one request holds, until it is answered. */
    private static final class Share {

        private final AtomicLong free;
        private long taken;

        Share(AtomicLong free) {
            this.free = free;
        }

        void take(DataBuffer buffer) {
            int bytes = buffer.readableByteCount();
            taken += bytes;
            if (free.addAndGet(-bytes) < 0) {
                DataBufferUtils.release(buffer);
                throw new ProblemException(
                        ProblemCode.STORAGE_UNAVAILABLE,
                        "the broker holds as many requests as it has memory for; try again");
            }
        }

        void giveBack() {
            free.addAndGet(taken);
        }
    }
}
