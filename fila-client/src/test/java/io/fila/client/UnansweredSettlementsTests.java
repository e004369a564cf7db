package io.fila.client;

import java.util.List;
import java.util.stream.IntStream;

import io.fila.protocol.v1.Extend;
import io.fila.protocol.v1.SubscribeRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UnansweredSettlementsTests {

    private final UnansweredSettlements settlements = new UnansweredSettlements();

    @Test
    void writesAtMostAThousandLeasesIntoAFrameAndNumbersFramesRisingly() {
        IntStream.range(0, 1_500).forEach(i -> ack("lease-" + i));
        SubscribeRequest first = frame();
        SubscribeRequest second = frame();
        assertThat(first.getAckCount()).isEqualTo(1_000);
        assertThat(second.getAckCount()).isEqualTo(500);
        assertThat(second.getSequence()).isGreaterThan(first.getSequence());
        assertThat(settlements.writeTo(SubscribeRequest.newBuilder())).isFalse();
    }

    @Test
    void writesTwoSettlementsOfOneLeaseIntoTwoFramesInTheirOrder() {
        settlements.add(Settlement.of(
                "extend", "a", frame -> frame.addExtend(Extend.newBuilder().setLease("a"))));
        ack("a");
        ack("b");
        SubscribeRequest first = frame();
        assertThat(first.getExtendCount()).isEqualTo(1);
        assertThat(first.getAckList()).isEmpty();
        assertThat(frame().getAckList()).containsExactly("a", "b");
    }

    @Test
    void writesWhatTheBrokerMayRefuseIntoAFrameOfItsOwn() {
        ack("a");
        settlements.add(
                Settlement.of("nack", "b", frame -> frame.addNackBuilder().setLease("b"))
                        .inFrameOfItsOwn());
        ack("c");
        ack("d");
        assertThat(frame().getAckList()).containsExactly("a");
        SubscribeRequest refusable = frame();
        assertThat(refusable.getNackCount()).isEqualTo(1);
        assertThat(refusable.getAckList()).isEmpty();
        assertThat(frame().getAckList()).containsExactly("c", "d");
    }

    @Test
    void sendsAgainInTheOriginalOrderWhatABrokenStreamLeftUnanswered() {
        ack("a");
        SubscribeRequest answered = frame();
        ack("b");
        frame();
        ack("c");
        frame();
        ack("d");
        assertThat(settlements.takeAnswered(answered.getSequence())).hasSize(1);

        settlements.streamLost();
        assertThat(frame().getAckList()).containsExactly("b", "c", "d");
    }

    @Test
    void doesNotSendAgainWhatNobodyWaitsForAnyMore() {
        Settlement expired = ack("a");
        ack("b");
        frame();
        expired.answer().completeExceptionally(BrokerErrors.closed("ack"));
        settlements.streamLost();
        assertThat(frame().getAckList()).containsExactly("b");
    }

    @Test
    void doesNotSendWhatWasWithdrawn() {
        Settlement settlement = Settlement.of("ack", "a", frame -> frame.addAck("a"));
        settlements.withdraw(settlements.add(settlement));
        assertThat(settlements.isEmpty()).isTrue();
        assertThat(settlements.writeTo(SubscribeRequest.newBuilder())).isFalse();
    }

    @Test
    void ignoresAnAnswerToNoFrame() {
        ack("a");
        frame();
        assertThat(settlements.takeAnswered(99)).isEqualTo(List.of());
        assertThat(settlements.isEmpty()).isFalse();
    }

    private Settlement ack(String lease) {
        Settlement settlement = Settlement.of("ack", lease, frame -> frame.addAck(lease));
        settlements.add(settlement);
        return settlement;
    }

    private SubscribeRequest frame() {
        SubscribeRequest.Builder frame = SubscribeRequest.newBuilder();
        assertThat(settlements.writeTo(frame)).isTrue();
        return frame.build();
    }
}
