package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBufferUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Long arrays are written in pieces, and not by the thread that has the answer. */
class JsonArrayBodyTests {

    record Number(int n) implements Answer {}

    @Test
    void writesOneDocument() {
        assertThat(text(List.of())).isEqualTo("{\"a\":[],\"b\":1}");
        assertThat(text(List.of(1))).isEqualTo("{\"a\":[{\"n\":1}],\"b\":1}");
        assertThat(text(List.of(1, 2, 3))).isEqualTo("{\"a\":[{\"n\":1},{\"n\":2},{\"n\":3}],\"b\":1}");
    }

    @Test
    void makesOnlyTheFirstElementOnTheThreadThatHasTheAnswer() {
        List<Integer> elements = IntStream.range(0, 1000).boxed().toList();
        ConcurrentHashMap<Integer, Thread> makers = new ConcurrentHashMap<>();

        List<?> pieces = new JsonArrayBody<>(
                        "[",
                        elements,
                        n -> {
                            makers.put(n, Thread.currentThread());
                            return new Number(n);
                        },
                        "]")
                .pieces()
                .collectList()
                .block();

        assertThat(pieces).hasSize(1000);
        assertThat(makers.remove(0)).isEqualTo(Thread.currentThread());
        assertThat(makers.values()).hasSize(999).doesNotContain(Thread.currentThread());
    }

    private static String text(List<Integer> elements) {
        return DataBufferUtils.join(new JsonArrayBody<>("{\"a\":[", elements, Number::new, "],\"b\":1}").pieces())
                .map(joined -> joined.toString(StandardCharsets.UTF_8))
                .block();
    }
}
