package io.fila.broker.admin;

import java.util.List;

import io.fila.broker.message.Enqueued;
import io.fila.broker.message.MessageState;
import io.fila.broker.message.Messages;
import io.fila.broker.problem.Ids;
import io.fila.broker.queue.QueueName;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Messages: enqueued, looked at, cancelled. */
@RestController
@RequestMapping(path = Api.V1, produces = MediaType.APPLICATION_JSON_VALUE)
class MessageController {

    private final Messages messages;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    MessageController(Messages messages, RequestBodies bodies, BlockingCalls calls) {
        this.messages = messages;
        this.bodies = bodies;
        this.calls = calls;
    }

    /** Takes one message, or an array of which all are stored or none. */
    @PostMapping("/queues/{queue}/messages")
    Mono<ResponseEntity<EnqueueAnswer>> enqueue(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.ofEnqueue(
                request,
                body -> calls.await(() -> {
                    QueueName name = QueueName.of(queue);
                    MessageInput.Batch batch = JsonBody.read(body, MessageInput.ROOT, MessageInput::readAll);
                    return messages.enqueue(name, batch.messages(), batch.array())
                            .thenApply(results -> answer(results, batch.array()));
                }));
    }

    @GetMapping("/queues/{queue}/messages")
    Mono<ResponseEntity<Flux<DataBuffer>>> list(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.none(
                request,
                List.of("state", "limit", "after"),
                query -> calls.call(() -> {
                    @Nullable String state = query.text("state");
                    Messages.Page page = messages.list(
                            QueueName.of(queue),
                            state == null ? null : MessageState.parse("state", state),
                            query.number("limit", Messages.USUAL_PAGE, 1, Messages.LARGEST_PAGE),
                            query.text("after"));
                    String next = AnswerEncoder.MAPPER.writeValueAsString(page.next());
                    return new JsonArrayBody<>(
                                    "{\"messages\":[",
                                    page.messages(),
                                    MessageAnswer::of,
                                    "],\"next\":%s}".formatted(next))
                            .toResponse();
                }));
    }

    @GetMapping("/messages/{id}")
    Mono<MessageAnswer> get(@PathVariable String id, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.call(() -> MessageAnswer.of(messages.get(Ids.parse("id", id)))));
    }

    @DeleteMapping("/messages/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> cancel(@PathVariable String id, ServerHttpRequest request) {
        return bodies.none(request, List.of("queue"), parameters -> {
            @Nullable String queue = parameters.text("queue");
            return calls.run(() -> messages.cancel(Ids.parse("id", id), queue == null ? null : QueueName.of(queue)));
        });
    }

    private static ResponseEntity<EnqueueAnswer> answer(List<Enqueued> results, boolean array) {
        boolean stored = results.stream().anyMatch(result -> !result.duplicate());
        return ResponseEntity.status(stored ? HttpStatus.CREATED : HttpStatus.OK)
                .body(EnqueueAnswer.of(results, array));
    }
}
