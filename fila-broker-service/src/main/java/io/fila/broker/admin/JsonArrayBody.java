package io.fila.broker.admin;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * An answer around one long array, written element by element as the connection takes it: a thousand payloads of a mebibyte
 * never stand in memory as JSON.
 *
 * <p>The first element is made by the thread that has the answer, so that writing begins at once; the others elsewhere, since
 * that thread may be the one that paces a queue.
 */
record JsonArrayBody<T>(String before, List<T> elements, Function<T, Answer> toAnswer, String after) {

    ResponseEntity<Flux<DataBuffer>> toResponse() {
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(pieces());
    }

    Flux<DataBuffer> pieces() {
        Flux<DataBuffer> others = Flux.range(1, last()).map(this::piece).subscribeOn(Schedulers.parallel());
        return Mono.fromCallable(() -> piece(0)).concatWith(others);
    }

    private DataBuffer piece(int i) {
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        piece.writeBytes(utf8(i == 0 ? before : ","));
        if (i < elements.size()) {
            piece.writeBytes(AnswerEncoder.MAPPER.writeValueAsBytes(toAnswer.apply(elements.get(i))));
        }
        piece.writeBytes(utf8(i == last() ? after : ""));
        return DefaultDataBufferFactory.sharedInstance.wrap(piece.toByteArray());
    }

    private int last() {
        return Math.max(0, elements.size() - 1);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
