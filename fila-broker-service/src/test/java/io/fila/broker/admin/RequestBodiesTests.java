package io.fila.broker.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.core.io.buffer.PooledDataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static io.netty.buffer.PooledByteBufAllocator.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Bodies in memory are bounded, each and all together. */
class RequestBodiesTests {

    private static final int PIECE = 1024;

    private final NettyDataBufferFactory buffers = new NettyDataBufferFactory(DEFAULT);

    private final RequestBodies bodies = new RequestBodies(
            new RestProperties(DataSize.ofKilobytes(4), DataSize.ofKilobytes(2), DataSize.ofKilobytes(6), 1, 1));

    @Test
    void refusesWhatDoesNotFitBesideTheOthersUntilTheyAreAnswered() {
        Sinks.One<Integer> answer = Sinks.one();
        Mono<Integer> first =
                bodies.ofEnqueue(request(4), body -> answer.asMono()).cache();
        first.subscribe();

        assertThatThrownBy(() -> length(request(3)).block())
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.code()).isEqualTo(ProblemCode.STORAGE_UNAVAILABLE));
        assertThat(length(request(2)).block()).isEqualTo(2 * PIECE);

        answer.tryEmitValue(1);
        assertThat(first.block(Duration.ofSeconds(5))).isEqualTo(1);
        assertThat(length(request(4)).block()).isEqualTo(4 * PIECE);
    }

    @Test
    void givesBackAfterFailure() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> bodies.ofEnqueue(request(4), body -> Mono.error(new IllegalStateException("no")))
                            .block())
                    .hasMessage("no");
            assertThatThrownBy(() -> length(request(5)).block()).hasMessageContaining("at most 4096 bytes");
        }

        assertThat(length(request(4)).block()).isEqualTo(4 * PIECE);
    }

    @Test
    void givesBackWhenClientGoes() {
        for (int i = 0; i < 5; i++) {
            bodies.ofEnqueue(request(4), body -> Mono.never()).subscribe().dispose();
        }

        assertThat(length(request(4)).block()).isEqualTo(4 * PIECE);
    }

    @Test
    void releasesEveryBuffer() {
        AtomicInteger held = new AtomicInteger();
        RequestBodies tight = new RequestBodies(
                new RestProperties(DataSize.ofKilobytes(4), DataSize.ofKilobytes(4), DataSize.ofKilobytes(4), 1, 1));
        tight.of(request(2), body -> Mono.never()).subscribe();
        DataBuffer[] pieces = {piece(), piece(), piece()};
        ServerHttpRequest request = MockServerHttpRequest.post("/")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Flux.just(pieces));

        assertThatThrownBy(() -> tight.of(request, body -> Mono.just(1)).block())
                .hasMessageContaining("as many requests as it has memory for");

        for (DataBuffer piece : pieces) {
            held.addAndGet(((PooledDataBuffer) piece).isAllocated() ? 1 : 0);
        }
        assertThat(held).hasValue(0);
    }

    private Mono<Integer> length(ServerHttpRequest request) {
        return bodies.ofEnqueue(request, body -> Mono.just(body.length));
    }

    private ServerHttpRequest request(int pieces) {
        return MockServerHttpRequest.post("/")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Flux.range(0, pieces).map(i -> piece()));
    }

    private DataBuffer piece() {
        return buffers.allocateBuffer(PIECE).write(" ".repeat(PIECE).getBytes(StandardCharsets.US_ASCII));
    }
}
