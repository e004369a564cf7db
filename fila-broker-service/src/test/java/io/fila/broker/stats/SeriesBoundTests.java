package io.fila.broker.stats;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class SeriesBoundTests {

    @Test
    void takesTheFirstAndSaysSoOnce(CapturedOutput output) {
        SeriesBound bound = new SeriesBound("queues", 2);

        assertThat(bound.firstOf(List.of("a", "b"))).containsExactly("a", "b");
        assertThat(output).doesNotContain("queues");

        assertThat(bound.firstOf(List.of("a", "b", "c"))).containsExactly("a", "b");
        assertThat(bound.firstOf(List.of("a", "b", "c"))).containsExactly("a", "b");
        assertThat(output.getOut()).containsOnlyOnce("there are 3 queues");
    }
}
