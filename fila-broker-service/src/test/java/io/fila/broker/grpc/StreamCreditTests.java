package io.fila.broker.grpc;

import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a consumer asked for, and when it counts. */
class StreamCreditTests {

    private final StreamCredit credit = new StreamCredit();

    @Test
    void countsAtOnceWhatIsAskedForWhileNothingIsBeingSettled() {
        assertThat(credit.ask(3)).isTrue();
        assertThat(credit.ask(0)).isFalse();
        credit.take(2);
        assertThat(credit.ready()).isEqualTo(1);
    }

    @Test
    void countsAtOnceOnAQueueWithoutOrder() {
        long settlement = credit.settling(false);
        assertThat(credit.ask(3)).isTrue();
        assertThat(credit.settled(settlement)).isFalse();
        assertThat(credit.ready()).isEqualTo(3);
    }

    @Test
    void waitsForTheSettlementThatCameLastBeforeIt() {
        long first = credit.settling(true);
        assertThat(credit.ask(1)).isFalse();
        assertThat(credit.ask(1)).isFalse();
        long second = credit.settling(true);
        assertThat(credit.ask(5)).isFalse();
        assertThat(credit.ready()).isZero();

        assertThat(credit.settled(first)).isTrue();
        assertThat(credit.ready()).isEqualTo(2);
        assertThat(credit.settled(second)).isTrue();
        assertThat(credit.ready()).isEqualTo(7);
        assertThat(credit.ask(1)).isTrue();
    }

    @Test
    void waitsForNoSettlementBeforeOneThatIsDone() {
        long first = credit.settling(true);
        assertThat(credit.ask(1)).isFalse();
        long second = credit.settling(true);
        assertThat(credit.ask(1)).isFalse();

        assertThat(credit.settled(second)).isTrue();
        assertThat(credit.ready()).isEqualTo(2);
        assertThat(credit.settled(first)).isFalse();
    }

    /** After the answer to a drain nothing follows until more is asked for. */
    @Test
    void forgetsWithADrainWhatStillWaited() {
        long settlement = credit.settling(true);
        assertThat(credit.ask(4)).isFalse();
        credit.drain();
        assertThat(credit.settled(settlement)).isFalse();
        assertThat(credit.ready()).isZero();
        assertThat(credit.ask(1)).isTrue();
    }

    @Test
    void boundsWhatWaitsTogetherWithWhatIsReady() {
        assertThat(credit.ask(StreamCredit.MAX - 1)).isTrue();
        credit.settling(true);
        assertThat(credit.ask(1)).isFalse();
        assertThatThrownBy(() -> credit.ask(1))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("credit: expected at most 10000");
        assertThatThrownBy(() -> credit.ask(-1)).isInstanceOf(ProblemException.class);
    }
}
