package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.pacing.Permits;
import io.fila.broker.problem.Names;
import io.fila.broker.stats.Overviews;
import io.fila.broker.stats.Stats;
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

    private final Stats stats;
    private final Overviews overviews;
    private final Permits permits;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    ThrottleController(Stats stats, Overviews overviews, Permits permits, RequestBodies bodies, BlockingCalls calls) {
        this.stats = stats;
        this.overviews = overviews;
        this.permits = permits;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** All of them, without their buckets. */
    @GetMapping
    Mono<List<ThrottleAnswer>> list(ServerHttpRequest request) {
        return bodies.none(
                request,
                () -> calls.call(() ->
                        overviews.throttles().stream().map(ThrottleAnswer::of).toList()));
    }

    @GetMapping("/{name}")
    Mono<ThrottleAnswer> get(@PathVariable String name, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("topBuckets"),
                query -> calls.call(() -> {
                    int topBuckets = query.number("topBuckets", Stats.USUAL_TOP_BUCKETS, 0, Stats.MOST_TOP_BUCKETS);
                    return ThrottleAnswer.of(stats.throttle(Names.require("throttle", name), topBuckets));
                }));
    }

    @GetMapping("/{name}/bucket")
    Mono<BucketAnswer.Alone> bucket(@PathVariable String name, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("key"),
                query -> calls.call(
                        () -> BucketAnswer.alone(stats.bucket(Names.require("throttle", name), query.all("key")))));
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
}
