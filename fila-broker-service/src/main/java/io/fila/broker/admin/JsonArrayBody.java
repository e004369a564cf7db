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

/**
 * An answer around one long array, written element by element as the connection takes it: a thousand payloads of a mebibyte
 * never stand in memory as JSON. The first element is made by the thread that has the answer.
 */
final class JsonArrayBody {

    private JsonArrayBody() {}

    static <T> ResponseEntity<Flux<DataBuffer>> of(
            String before, List<T> elements, Function<T, Answer> toAnswer, String after) {
        int last = Math.max(1, elements.size()) - 1;
        Flux<DataBuffer> body = Flux.range(0, last + 1).map(i -> {
            ByteArrayOutputStream piece = new ByteArrayOutputStream();
            piece.writeBytes(utf8(i == 0 ? before : ","));
            if (i < elements.size()) {
                piece.writeBytes(AnswerEncoder.MAPPER.writeValueAsBytes(toAnswer.apply(elements.get(i))));
            }
            piece.writeBytes(utf8(i == last ? after : ""));
            return DefaultDataBufferFactory.sharedInstance.wrap(piece.toByteArray());
        });
        return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(body);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
