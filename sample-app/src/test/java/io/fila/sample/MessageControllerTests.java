package io.fila.sample;

import java.util.List;

import io.fila.client.FilaException;
import io.fila.sample.stats.DeliveryStats;
import io.fila.template.FilaTemplate;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

@WebMvcTest(MessageController.class)
class MessageControllerTests {

    @Autowired
    private MockMvcTester mvc;

    @MockitoBean
    private FilaTemplate fila;

    @MockitoBean
    private DeliveryStats stats;

    @Test
    void storesAMessageAndAnswersOk() {
        assertThat(mvc.put().uri("/messages").contentType(MediaType.TEXT_PLAIN).content("hello"))
                .hasStatusOk()
                .hasContentTypeCompatibleWith(MediaType.TEXT_PLAIN)
                .hasBodyTextEqualTo("OK");
        verify(fila).send("messages", "hello");
        verify(stats).sent(1);
    }

    @Test
    void saysSoWhenAMessageIsNotStored() {
        when(fila.send(any(), any())).thenThrow(new FilaException("broker-unreachable", "no broker", true, null));
        assertThat(mvc.put().uri("/messages").contentType(MediaType.TEXT_PLAIN).content("hello"))
                .hasStatus(503)
                .hasHeader("Retry-After", "1")
                .hasBodyTextEqualTo("not stored: no broker");
        verifyNoInteractions(stats);
    }

    @Test
    void takesTextOnly() {
        assertThat(mvc.put()
                        .uri("/messages")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{}"))
                .hasStatus(415);
    }

    @Test
    void sendsABurst() {
        assertThat(mvc.post().uri("/burst?count=3")).hasStatusOk();
        verify(fila).sendAll(eq("messages"), eq(List.of("burst message 1", "burst message 2", "burst message 3")));
        verify(stats).sent(3);
    }

    @Test
    void boundsABurst() {
        assertThat(mvc.post().uri("/burst?count=10001")).hasStatus(400);
        assertThat(mvc.post().uri("/burst?count=0")).hasStatus(400);
        verifyNoInteractions(fila);
    }
}
