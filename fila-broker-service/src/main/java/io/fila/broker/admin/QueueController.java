package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.message.Redrives;
import io.fila.broker.queue.QueueName;
import io.fila.broker.queue.Queues;
import io.fila.broker.queue.SettingsChange;
import io.fila.broker.stats.Overviews;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Queues: declared, looked at, paused, purged, redriven, deleted. */
@RestController
@RequestMapping(path = Api.V1 + "/queues", produces = MediaType.APPLICATION_JSON_VALUE)
class QueueController {

    private final Queues queues;
    private final Redrives redrives;
    private final Overviews overviews;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    QueueController(Queues queues, Redrives redrives, Overviews overviews, RequestBodies bodies, BlockingCalls calls) {
        this.queues = queues;
        this.redrives = redrives;
        this.overviews = overviews;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** Creates the queue or replaces its settings; a missing body stands for all the defaults. */
    @PutMapping("/{queue}")
    Mono<ResponseEntity<QueueAnswer>> declare(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.call(() -> {
                    QueueName name = QueueName.forCreation(queue);
                    SettingsChange settings =
                            body.length == 0 ? SettingsChange.NONE : JsonBody.read(body, QueueSettingsJson::read);
                    boolean created = queues.declare(name, settings);
                    return ResponseEntity.status(created ? HttpStatus.CREATED : HttpStatus.OK)
                            .body(QueueAnswer.of(queues.get(name)));
                }));
    }

    /** Changes the settings that are given. */
    @PatchMapping("/{queue}")
    Mono<QueueAnswer> change(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.call(() -> {
                    QueueName name = QueueName.of(queue);
                    SettingsChange settings = JsonBody.readWithoutNulls(body, QueueSettingsJson::read);
                    return QueueAnswer.of(queues.change(name, settings));
                }));
    }

    @GetMapping
    Mono<List<QueueAnswer>> list(ServerHttpRequest request) {
        return bodies.none(
                request,
                () -> calls.call(
                        () -> overviews.queues().stream().map(QueueAnswer::of).toList()));
    }

    @GetMapping("/{queue}")
    Mono<QueueAnswer> get(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.call(() -> QueueAnswer.of(overviews.queue(QueueName.of(queue)))));
    }

    @DeleteMapping("/{queue}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("force"),
                query -> calls.run(() -> queues.delete(QueueName.of(queue), query.flag("force"))));
    }

    @PostMapping("/{queue}/pause")
    Mono<QueueAnswer> pause(@PathVariable String queue, ServerHttpRequest request) {
        return setPaused(queue, true, request);
    }

    @PostMapping("/{queue}/resume")
    Mono<QueueAnswer> resume(@PathVariable String queue, ServerHttpRequest request) {
        return setPaused(queue, false, request);
    }

    @PostMapping("/{queue}/purge")
    Mono<Purged> purge(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.call(() -> new Purged(queues.purge(QueueName.of(queue)))));
    }

    /** Moves dead letters back, on the name of the queue or of its dead letter queue. */
    @PostMapping("/{queue}/redrive")
    Mono<RedriveAnswer> redrive(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.call(() -> {
                    QueueName name = QueueName.of(queue);
                    RedriveInput input = RedriveInput.read(body);
                    return RedriveAnswer.of(redrives.redrive(name, input.count(), input.reclassify()));
                }));
    }

    private Mono<QueueAnswer> setPaused(String queue, boolean paused, ServerHttpRequest request) {
        return bodies.none(
                request,
                () -> calls.call(() -> {
                    QueueName name = QueueName.of(queue);
                    queues.setPaused(name, paused);
                    return QueueAnswer.of(queues.get(name));
                }));
    }

    /** How many messages a purge removed. */
    record Purged(long purged) implements Answer {}
}
