package io.fila.broker.admin;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.fila.broker.problem.ProblemCode;
import io.fila.broker.problem.ProblemException;
import io.fila.broker.subscription.PendingReceive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

/** Clients that hang up. */
@ExtendWith(OutputCaptureExtension.class)
class GoneClientTests extends RestSlice {

    private final PendingReceive pending = mock();

    @Test
    void cancelsReceiveOfClientThatHangsUp() throws Exception {
        given(subscriptions.receive(SUBSCRIPTION, 1, Duration.ofSeconds(60))).willReturn(pending);

        try (Socket socket = new Socket("127.0.0.1", port)) {
            send(socket, "receive", "{\"wait\":\"60s\"}");
            verify(pending, timeout(10_000)).onAnswer(any());
            verify(pending, never()).cancel();
        }

        verify(pending, timeout(5_000)).cancel();
    }

    @Test
    void cancelsReceiveOfClientThatHangsUpBeforeItBegins() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch hungUp = new CountDownLatch(1);
        given(subscriptions.receive(any(), anyInt(), any())).willAnswer(call -> {
            called.countDown();
            assertThat(hungUp.await(20, TimeUnit.SECONDS)).isTrue();
            return pending;
        });

        try (Socket socket = new Socket("127.0.0.1", port)) {
            send(socket, "receive", "{\"wait\":\"60s\"}");
            assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
        }
        hungUp.countDown();

        verify(pending, timeout(5_000)).cancel();
    }

    @Test
    void keepsAnsweredReceiveUncancelled() {
        willAnswer(call -> {
                    call.<Consumer<Object>>getArgument(0).accept(List.of());
                    return null;
                })
                .given(pending)
                .onAnswer(any());
        given(subscriptions.receive(any(), anyInt(), any())).willReturn(pending);

        post("/subscriptions/" + SUBSCRIPTION + "/receive", "{}").expectStatus().isOk();

        verify(pending, never()).cancel();
    }

    @Test
    void logsNothingOfProblemThatNobodyHears(CapturedOutput output) throws Exception {
        CompletableFuture<Object> settled = new CompletableFuture<>();
        CountDownLatch called = new CountDownLatch(1);
        given(subscriptions.receive(any(), anyInt(), any())).willReturn(pending);
        given(subscriptions.settle(any(), any())).willAnswer(call -> {
            called.countDown();
            return settled;
        });

        try (Socket waiting = new Socket("127.0.0.1", port);
                Socket settling = new Socket("127.0.0.1", port)) {
            send(waiting, "receive", "{\"wait\":\"60s\"}");
            send(settling, "ack", "{\"leases\":[\"%s\"]}".formatted(lease(1)));
            verify(pending, timeout(10_000)).onAnswer(any());
            assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
        }
        verify(pending, timeout(5_000)).cancel();
        settled.completeExceptionally(new ProblemException(ProblemCode.SUBSCRIPTION_NOT_FOUND, "nobody hears it"));
        http.get().uri("/nothing").exchange();

        assertThat(output).doesNotContain("ERROR", "WARN", "nobody hears it");
    }

    private static void send(Socket socket, String verb, String body) throws IOException {
        String request = """
                POST /api/v1/subscriptions/%s/%s HTTP/1.1\r
                Host: localhost\r
                Content-Type: application/json\r
                Content-Length: %d\r
                \r
                %s""".formatted(SUBSCRIPTION, verb, body.length(), body);
        OutputStream out = socket.getOutputStream();
        out.write(request.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }
}
