package io.fila.client;

import java.time.Duration;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OutgoingMessageTests {

    private final OutgoingMessage.Builder message = OutgoingMessage.of(Payload.text("hello"));

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1_001})
    void refusesWeightOutOfRange(int weight) {
        message.weight(weight);
        assertThatIllegalArgumentException()
                .isThrownBy(message::build)
                .withMessage("weight must be 1 to 1000, but was " + weight);
    }

    @Test
    void refusesBothDelayAndInstant() {
        message.delay(Duration.ofSeconds(5)).notBefore(Instant.EPOCH);
        assertThatIllegalArgumentException()
                .isThrownBy(message::build)
                .withMessageContaining("at most one of delay and notBefore");
    }

    @Test
    void refusesNegativeDelay() {
        message.delay(Duration.ofSeconds(-1));
        assertThatIllegalArgumentException().isThrownBy(message::build).withMessageContaining("delay");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "order-1", "1-1-1-1-1", "c0ffee00-0000-4000-8000-00000000000g"})
    void refusesIdThatIsNoUuid(String id) {
        message.id(id);
        assertThatIllegalArgumentException().isThrownBy(message::build).withMessageEndingWith("but was '" + id + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nul\0", "\ud83d", "\ude00\ud83d"})
    void refusesTextThatCannotBeStored(String text) {
        message.header("customer", text);
        assertThatIllegalArgumentException().isThrownBy(message::build).withMessageContaining("header 'customer'");
    }

    @Test
    void acceptsWhatIsRight() {
        String id = "c0ffee00-0000-4000-8000-000000000001";
        OutgoingMessage built = message.id(id)
                .weight(1_000)
                .fairnessKey("")
                .header("smile", "\ud83d\ude00")
                .build();
        assertThat(built.id()).isEqualTo(id);
        assertThat(built.headers()).containsEntry("smile", "\ud83d\ude00");
    }
}
