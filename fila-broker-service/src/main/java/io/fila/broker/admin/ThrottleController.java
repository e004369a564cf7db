package io.fila.broker.admin;

import java.util.List;
import java.util.Optional;

import io.fila.broker.pacing.Permits;
import io.fila.broker.problem.Names;
import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.stats.Stats;
import io.fila.broker.throttle.KeyComponent;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What throttles hold, and why; and permits of them. */
@RestController
@RequestMapping(path = Api.V1 + "/throttles", produces = MediaType.APPLICATION_JSON_VALUE)
class ThrottleController {

    private static final int TOP_BUCKETS = 10;
    private static final int MOST_TOP_BUCKETS = 1000;

    private final Stats stats;
    private final Permits permits;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    ThrottleController(Stats stats, Permits permits, RequestBodies bodies, BlockingCalls calls) {
        this.stats = stats;
        this.permits = permits;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** All of them, without their buckets. */
    @GetMapping
    Mono<List<ThrottleAnswer>> list(ServerHttpRequest request) {
        return bodies.none(
                request,
                () -> calls.call(() -> stats.throttles().stream()
                        .map(this::withoutBuckets)
                        .flatMap(Optional::stream)
                        .toList()));
    }

    @GetMapping("/{name}")
    Mono<ThrottleAnswer> get(@PathVariable String name, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("topBuckets"),
                query -> calls.call(() -> {
                    int topBuckets = query.number("topBuckets", TOP_BUCKETS, 0, MOST_TOP_BUCKETS);
                    return ThrottleAnswer.of(stats.throttle(Names.require("throttle", name), topBuckets));
                }));
    }

    @GetMapping("/{name}/bucket")
    Mono<BucketAnswer.Alone> bucket(@PathVariable String name, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("key"),
                query -> calls.call(() -> {
                    List<KeyComponent> key =
                            stats.throttle(Names.require("throttle", name), 0).key();
                    return BucketAnswer.alone(stats.bucket(name, bucketKey(key, query.all("key"))));
                }));
    }

    /** The permits count from the moment at which the answer begins to be written, on the thread that has it. */
    @PostMapping("/{name}/permits")
    Mono<PermitsAnswer> acquire(@PathVariable String name, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.replyInTime(reply -> {
                    PermitsInput given = PermitsInput.read(body);
                    permits.acquire(
                            name, given.key(), given.permits(), answer -> reply.success(PermitsAnswer.of(answer)));
                }));
    }

    /** Without values: the one bucket of an unkeyed throttle, or that of the messages lacking the key (null). */
    private static @Nullable List<String> bucketKey(List<KeyComponent> key, List<String> values) {
        if (values.isEmpty()) {
            return key.isEmpty() ? List.of() : null;
        }
        if (values.size() != key.size()) {
            throw ProblemException.invalid("key: expected %d values, one for each component of %s in order, got %d"
                    .formatted(key.size(), key, values.size()));
        }
        return values;
    }

    /** Nothing if the throttle was forgotten since it was listed. */
    private Optional<ThrottleAnswer> withoutBuckets(String name) {
        try {
            return Optional.of(ThrottleAnswer.of(stats.throttle(name, 0)));
        } catch (ProblemException e) {
            if (e.code() == ProblemCode.THROTTLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
