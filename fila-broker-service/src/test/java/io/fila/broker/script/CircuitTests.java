package io.fila.broker.script;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CircuitTests {

    private long now = 5;
    private final Circuit circuit = new Circuit(() -> now);

    @Test
    void opensAfterFiveTimeoutsInARow() {
        timeOut(4);
        circuit.ended();
        timeOut(4);
        assertThat(circuit.openFor()).isZero();

        timeOut(1);

        assertThat(circuit.openFor()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void allowsOneRunAfterAWhileAndStaysOpenTwiceAsLongIfThatTimesOut() {
        timeOut(5);
        for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
            assertThat(circuit.openFor()).isEqualTo(Duration.ofSeconds(seconds));
            now += Duration.ofSeconds(seconds).toNanos();
            assertThat(circuit.openFor()).isZero();
            timeOut(1);
        }
    }

    @Test
    void closesWhenARunEndsByItself() {
        timeOut(5);
        now += Duration.ofSeconds(1).toNanos();
        circuit.ended();

        timeOut(4);

        assertThat(circuit.openFor()).isZero();
        timeOut(1);
        assertThat(circuit.openFor()).isEqualTo(Duration.ofSeconds(1));
    }

    private void timeOut(int times) {
        for (int i = 0; i < times; i++) {
            circuit.timedOut();
        }
    }
}
