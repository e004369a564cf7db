package io.fila.broker.admin;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import io.fila.broker.message.Delivery;
import io.fila.broker.message.Settlement;
import io.fila.broker.problem.Ids;
import io.fila.broker.queue.QueueName;
import io.fila.broker.subscription.PendingReceive;
import io.fila.broker.subscription.Subscriptions;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Consuming by calls: subscribe, receive, settle. */
@RestController
@RequestMapping(path = Api.V1, produces = MediaType.APPLICATION_JSON_VALUE)
class SubscriptionController {

    private final Subscriptions subscriptions;
    private final RequestBodies bodies;
    private final BlockingCalls calls;

    SubscriptionController(Subscriptions subscriptions, RequestBodies bodies, BlockingCalls calls) {
        this.subscriptions = subscriptions;
        this.bodies = bodies;
        this.calls = calls;
    }

    @PostMapping("/queues/{queue}/subscriptions")
    @ResponseStatus(HttpStatus.CREATED)
    Mono<SubscriptionAnswer> open(@PathVariable String queue, ServerHttpRequest request) {
        return bodies.of(
                request,
                body -> calls.await(() -> {
                    QueueName name = QueueName.of(queue);
                    SubscriptionInput given = JsonBody.read(body, SubscriptionInput::read);
                    return subscriptions
                            .open(name, given.consumer(), given.ttl(), given.throttles())
                            .thenApply(SubscriptionAnswer::of);
                }));
    }

    @DeleteMapping("/subscriptions/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> close(@PathVariable String id, ServerHttpRequest request) {
        return bodies.none(request, () -> calls.run(() -> subscriptions.close(Ids.parse("id", id))));
    }

    /** The delivery is the moment at which the answer begins to be written, on the thread that has it. */
    @PostMapping("/subscriptions/{id}/receive")
    Mono<ResponseEntity<Flux<DataBuffer>>> receive(@PathVariable String id, ServerHttpRequest request) {
        return bodies.of(
                        request,
                        body -> calls.<List<Delivery>>reply(reply -> {
                            ReceiveInput given = ReceiveInput.read(body);
                            PendingReceive pending =
                                    subscriptions.receive(Ids.parse("id", id), given.max(), given.waitFor());
                            reply.onGone(pending::cancel);
                            pending.onFailure(reply::fail);
                            pending.onAnswer(reply::success);
                        }))
                .map(deliveries ->
                        new JsonArrayBody<>("{\"deliveries\":[", deliveries, DeliveryAnswer::of, "]}").toResponse());
    }

    @PostMapping("/subscriptions/{id}/ack")
    Mono<SettleAnswer> ack(@PathVariable String id, ServerHttpRequest request) {
        return settle(id, request, SettlementInput::ack);
    }

    @PostMapping("/subscriptions/{id}/nack")
    Mono<SettleAnswer> nack(@PathVariable String id, ServerHttpRequest request) {
        return settle(id, request, SettlementInput::nack);
    }

    @PostMapping("/subscriptions/{id}/extend")
    Mono<SettleAnswer> extend(@PathVariable String id, ServerHttpRequest request) {
        return settle(id, request, SettlementInput::extend);
    }

    @PostMapping("/subscriptions/{id}/release")
    Mono<SettleAnswer> release(@PathVariable String id, ServerHttpRequest request) {
        return settle(id, request, SettlementInput::release);
    }

    private Mono<SettleAnswer> settle(
            String id, ServerHttpRequest request, Function<JsonInput, List<Settlement>> reader) {
        return bodies.of(
                request,
                body -> calls.await(() -> {
                    UUID subscription = Ids.parse("id", id);
                    List<Settlement> settlements = JsonBody.read(body, reader);
                    return subscriptions.settle(subscription, settlements).thenApply(SettleAnswer::of);
                }));
    }
}
