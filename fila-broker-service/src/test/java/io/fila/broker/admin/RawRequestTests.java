package io.fila.broker.admin;

import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that no well-behaved client sends. */
class RawRequestTests extends RestSlice {

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/queues/%00, 400, invalid-request",
        "GET, /api/v1/queues/%ff, 400, invalid-request",
        "GET, /api/v1/queues/a%2Fb, 400, invalid-request",
        "GET, /api/v1/../v1/nothing, 404, not-found",
        "GET, /api/v1//queues, 404, not-found",
        "BREW, /api/v1/queues, 405, method-not-allowed",
        "TRACE, /api/v1/queues, 405, method-not-allowed"
    })
    void answersWithProblem(String method, String target, int status, String code) throws Exception {
        String answer =
                exchange("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(method, target));

        assertThat(answer).startsWith("HTTP/1.1 " + status).contains("\"code\":\"" + code + "\"");
    }

    /** The server answers these itself, before anything of this application sees them. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/queues/%zz", "/api/v1/queues/%", "/api/v1/throttles/t/bucket?key=%zz"})
    void refusesTargetThatIsNoUri(String target) throws Exception {
        assertThat(exchange("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(target)))
                .startsWith("HTTP/1.1 400");
    }

    private String exchange(String request) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
