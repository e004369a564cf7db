package io.fila.broker.admin;

import io.fila.broker.script.Scripts;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Scripts that are tried before a queue has them. */
@RestController
@RequestMapping(path = Api.V1 + "/scripts", produces = MediaType.APPLICATION_JSON_VALUE)
class ScriptController {

    private final Scripts scripts;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    ScriptController(Scripts scripts, RequestBodies bodies, BlockingCalls calls) {
        this.scripts = scripts;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** Runs a script for a sample of a message: what it answers, or why not, and what it used. Nothing is stored. */
    @PostMapping("/try")
    Mono<TrialAnswer> attempt(ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.call(() -> {
                    TrialInput given = JsonBody.read(body, TrialInput::read);
                    return switch (given.hook()) {
                        case ON_ENQUEUE ->
                            TrialAnswer.ofClassification(
                                    scripts.tryOnEnqueue("script", given.script(), given.enqueued()));
                        case ON_FAILURE ->
                            TrialAnswer.ofVerdict(scripts.tryOnFailure("script", given.script(), given.failed()));
                    };
                }));
    }
}
