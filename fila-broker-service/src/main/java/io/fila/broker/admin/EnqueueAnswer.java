package io.fila.broker.admin;

import java.util.List;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonValue;
import io.fila.broker.message.Enqueued;

/** What became of the messages of an enqueue: an array if an array came, else one object. */
record EnqueueAnswer(@JsonValue Object answer) implements Answer {

    record One(UUID id, boolean duplicate) {}

    static EnqueueAnswer of(List<Enqueued> results, boolean array) {
        List<One> answers = results.stream()
                .map(result -> new One(result.id(), result.duplicate()))
                .toList();
        return new EnqueueAnswer(array ? answers : answers.get(0));
    }
}
